double f(double x) {
    unsigned char *bytes = (unsigned char *)&x;
    bytes[7] ^= 0x80;
    return x * x;
}
