if (adtape_type_name(ADTAPE_TYPE_COMPLEX_F64) /= 'complex_f64') error stop
