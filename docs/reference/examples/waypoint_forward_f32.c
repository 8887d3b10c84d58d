float y = 1.5f;
must(adtape_waypoint_forward_f32("y", 1, &y)); /* outside of a test nothing happens */
assert(y == 1.5f);
