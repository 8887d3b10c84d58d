struct port { volatile double level; };
double f(struct port *port, double x) {
    port->level = x;
    return port->level * x;
}
