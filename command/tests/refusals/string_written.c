double f(double x) {
    char *text = "abc";
    text[0] = 'b';
    return x * text[0];
}
