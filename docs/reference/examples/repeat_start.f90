real(c_double) :: z, dphi_dz, yb, zb, old
z = 2
yb = 1
zb = 0
call push(z)                                       ! what lies below the step
call push(0.5_c_double)                            ! the last step's partial derivative
call repeat_start()
do
  call pop(dphi_dz)
  old = zb
  zb = dphi_dz*zb + yb
  if (zb - old < 1e-12_c_double) exit
  call repeat_reset()
end do
call repeat_end()
call pop(z)
if (z /= 2 .or. abs(zb - 2) > 1e-11_c_double) error stop
