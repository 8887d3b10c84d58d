//! Special functions of the GNU Scientific Library: rules that need no word of the user. Their derivatives are in
//! `include/adtape/rules_gsl.h`.

/// Parameters, and the functions that have these, without `gsl_sf_`. No derivative is known by a parameter with `!`.
const FUNCTIONS: &[(&str, &str)] = &[
    (
        "x",
        "bessel_J0 bessel_J1 bessel_Y0 bessel_Y1 bessel_I0 bessel_I1 bessel_K0 bessel_K1 bessel_I0_scaled \
         bessel_I1_scaled bessel_K0_scaled bessel_K1_scaled bessel_j0 bessel_j1 bessel_j2 bessel_y0 bessel_y1 bessel_y2 \
         bessel_i0_scaled bessel_i1_scaled bessel_i2_scaled bessel_k0_scaled bessel_k1_scaled bessel_k2_scaled erf erfc \
         hazard log_erfc erf_Z erf_Q dawson exp expm1 exprel exprel_2 log log_abs log_1plusx log_1plusx_mx sin cos lnsinh \
         lncosh sinc lambert_W0 lambert_Wm1 expint_E1 expint_E2 expint_Ei expint_E1_scaled expint_E2_scaled \
         expint_Ei_scaled expint_3 Shi Chi Si Ci atanint dilog clausen debye_1 debye_2 debye_3 debye_4 debye_5 debye_6 \
         fermi_dirac_m1 fermi_dirac_0 fermi_dirac_1 fermi_dirac_2 fermi_dirac_half fermi_dirac_3half psi psi_1 gamma \
         lngamma gammainv gammastar legendre_P1 legendre_P2 legendre_P3 legendre_Q0 legendre_Q1 synchrotron_1 \
         synchrotron_2 transport_2 transport_3 transport_4 transport_5",
    ),
    (
        "x mode",
        "airy_Ai airy_Bi airy_Ai_scaled airy_Bi_scaled airy_Ai_deriv airy_Bi_deriv airy_Ai_deriv_scaled \
         airy_Bi_deriv_scaled ellint_Kcomp ellint_Ecomp",
    ),
    (
        "n x",
        "bessel_Jn bessel_Yn bessel_In bessel_Kn bessel_In_scaled bessel_Kn_scaled bessel_jl bessel_yl bessel_il_scaled \
         bessel_kl_scaled exprel_n expint_En fermi_dirac_int psi_n taylorcoeff legendre_Pl legendre_Ql",
    ),
    (
        "order! x",
        "bessel_Jnu bessel_Ynu bessel_Inu bessel_Inu_scaled bessel_Knu bessel_Knu_scaled bessel_lnKnu gamma_inc_P \
         gamma_inc_Q gamma_inc hzeta hyperg_0F1",
    ),
    ("m n x", "hyperg_1F1_int hyperg_U_int legendre_Plm legendre_sphPlm"),
    ("n lambda! x", "gegenpoly_n"),
    ("n a x", "laguerre_n"),
    ("a! b! x", "beta_inc hyperg_1F1 hyperg_U"),
    ("a! b! c! x", "hyperg_2F1"),
    ("x y", "exp_mult hypot beta lnbeta poch lnpoch gegenpoly_1 gegenpoly_2 laguerre_1 laguerre_2"),
    ("x y mode", "ellint_F ellint_E"),
    ("x n", "pow_int"),
];

/// Functions of integers, without `gsl_sf_`.
const OF_INTEGERS: &str = "fact doublefact lnfact lndoublefact choose lnchoose psi_int psi_1_int zeta_int zetam1_int \
                           eta_int bessel_zero_J0 bessel_zero_J1 coupling_3j coupling_6j coupling_9j";

/// The parameters of a function of the library with a known derivative.
pub fn find(name: &str) -> Option<&'static str> {
    if let Some(power) = name.strip_prefix("gsl_pow_") {
        return match power {
            "int" => Some("x n"),
            "2" | "3" | "4" | "5" | "6" | "7" | "8" | "9" => Some("x"),
            _ => None,
        };
    }
    let plain = name.strip_prefix("gsl_sf_")?;
    let has = |(_, names): &&(&str, &str)| names.split(' ').any(|name| name == plain);
    FUNCTIONS.iter().find(has).map(|(params, _)| *params)
}

/// Whether a function of the library has integers alone, so that no derivative passes through it.
pub fn is_passive(name: &str) -> bool {
    name.strip_prefix("gsl_sf_").is_some_and(|plain| OF_INTEGERS.split(' ').any(|name| name == plain))
}

#[cfg(test)]
mod tests {
    use super::{FUNCTIONS, find, is_passive};

    /// A derivative, and a tangent, for each in the header.
    #[test]
    fn the_header_has_all_functions() {
        let header = include_str!("../../../../../include/adtape/rules_gsl.h");
        for name in FUNCTIONS.iter().flat_map(|(_, names)| names.split(' ')) {
            let made = |begin: &str| {
                header.contains(&format!("{begin}({name},")) || header.contains(&format!("{begin}({name}, "))
            };
            let macros = ["", "_MODE", "_OF", "_OF_TWO", "_TWO", "_TWO_MODE"].map(|kind| format!("ADTAPE_GSL{kind}"));
            let is_written =
                header.contains(&format!("gsl_sf_{name}_rev(")) && header.contains(&format!("gsl_sf_{name}_d("));
            assert!(is_written || macros.iter().any(|begin| made(begin)), "{name}");
        }
        assert_eq!(
            (find("gsl_sf_bessel_Jnu"), find("gsl_pow_3"), find("gsl_sf_zeta")),
            (Some("order! x"), Some("x"), None)
        );
        assert!(is_passive("gsl_sf_fact") && !is_passive("gsl_sf_gamma"));
    }
}
