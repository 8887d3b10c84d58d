typedef double (*law)(double);
struct model { law apply; };
static struct model models[33];
static double law_0(double x) { return x + 0.0; }
static double law_1(double x) { return x + 1.0; }
static double law_2(double x) { return x + 2.0; }
static double law_3(double x) { return x + 3.0; }
static double law_4(double x) { return x + 4.0; }
static double law_5(double x) { return x + 5.0; }
static double law_6(double x) { return x + 6.0; }
static double law_7(double x) { return x + 7.0; }
static double law_8(double x) { return x + 8.0; }
static double law_9(double x) { return x + 9.0; }
static double law_10(double x) { return x + 10.0; }
static double law_11(double x) { return x + 11.0; }
static double law_12(double x) { return x + 12.0; }
static double law_13(double x) { return x + 13.0; }
static double law_14(double x) { return x + 14.0; }
static double law_15(double x) { return x + 15.0; }
static double law_16(double x) { return x + 16.0; }
static double law_17(double x) { return x + 17.0; }
static double law_18(double x) { return x + 18.0; }
static double law_19(double x) { return x + 19.0; }
static double law_20(double x) { return x + 20.0; }
static double law_21(double x) { return x + 21.0; }
static double law_22(double x) { return x + 22.0; }
static double law_23(double x) { return x + 23.0; }
static double law_24(double x) { return x + 24.0; }
static double law_25(double x) { return x + 25.0; }
static double law_26(double x) { return x + 26.0; }
static double law_27(double x) { return x + 27.0; }
static double law_28(double x) { return x + 28.0; }
static double law_29(double x) { return x + 29.0; }
static double law_30(double x) { return x + 30.0; }
static double law_31(double x) { return x + 31.0; }
static double law_32(double x) { return x + 32.0; }
void choose(void) {
    models[0].apply = law_0;
    models[1].apply = law_1;
    models[2].apply = law_2;
    models[3].apply = law_3;
    models[4].apply = law_4;
    models[5].apply = law_5;
    models[6].apply = law_6;
    models[7].apply = law_7;
    models[8].apply = law_8;
    models[9].apply = law_9;
    models[10].apply = law_10;
    models[11].apply = law_11;
    models[12].apply = law_12;
    models[13].apply = law_13;
    models[14].apply = law_14;
    models[15].apply = law_15;
    models[16].apply = law_16;
    models[17].apply = law_17;
    models[18].apply = law_18;
    models[19].apply = law_19;
    models[20].apply = law_20;
    models[21].apply = law_21;
    models[22].apply = law_22;
    models[23].apply = law_23;
    models[24].apply = law_24;
    models[25].apply = law_25;
    models[26].apply = law_26;
    models[27].apply = law_27;
    models[28].apply = law_28;
    models[29].apply = law_29;
    models[30].apply = law_30;
    models[31].apply = law_31;
    models[32].apply = law_32;
}
double f(int i, double x) {
    return models[i].apply(x);
}
