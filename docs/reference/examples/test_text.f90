! What a program hands over, as pointers of its own.
procedure(adtape_test_function_f64), pointer :: f => null()
procedure(adtape_test_function_f32), pointer :: f_single => null()
procedure(adtape_test_gradient_f64), pointer :: gradient => null()
procedure(adtape_test_gradient_f32), pointer :: gradient_single => null()
procedure(adtape_test_linear_f64), pointer :: tangent => null()
procedure(adtape_test_linear_f32), pointer :: tangent_single => null()
procedure(adtape_test_complex_f64), pointer :: f_complex => null()
procedure(adtape_test_complex_f32), pointer :: f_complex_single => null()
procedure(adtape_test_product_f64), pointer :: product_of_all => null()
procedure(adtape_test_product_f32), pointer :: product_of_all_single => null()
if (test_text() /= '' .or. associated(f)) error stop
