const double y[2] = {1.0, 2.0}, y_adjoint[2] = {0.5, -0.5};
must(adtape_waypoint_reverse_f64("y", 2, y, y_adjoint));
