real(8) :: y(2) = [1d0, 2d0], y_adjoint(2) = [0.5d0, -0.5d0]
call waypoint_reverse('y', y, y_adjoint)
