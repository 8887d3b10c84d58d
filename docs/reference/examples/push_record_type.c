adtape_t *t = adtape_self();
double angle = 0.5, cosine = 0.25, record[2];
adtape_push_record_f64(t, (const double[]){angle, cosine}, 2);
angle = cosine = 0.0;
adtape_pop_record_f64(t, record, 2);
angle = record[0], cosine = record[1];
assert(angle == 0.5 && cosine == 0.25);
