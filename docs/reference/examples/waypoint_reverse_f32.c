const float y = 1.0f, y_adjoint = 0.5f;
must(adtape_waypoint_reverse_f32("y", 1, &y, &y_adjoint));
