# demo.mk: compiles and runs the demo on many ranks. Run from the top of the repository, after cargo build --release:
#
#   make -f examples/shallow_water_mpi/demo.mk demo         SIZE=small, default or large
#
# Variables: MPICC and MPIEXEC, of one MPI; CC, CFLAGS; RANKS, on how many it runs; BUILD, where the programs go; BUILT,
# where libadtape.a is.

BUILD ?= target/demo-mpi
BUILT ?= target/release
CFLAGS ?= -O2
MPICC ?= mpicc
MPIEXEC ?= mpiexec
RANKS ?= 1 2 3 4

SERIAL := examples/shallow_water
DEMO := examples/shallow_water_mpi
# What both programs have: the model and its adjoint, but for ghost cells.
DEMO_BOTH := $(addprefix $(SERIAL)/c/,model.c adjoint_loops.c adjoint.c vectors.c) $(SERIAL)/common/terminal.c \
  $(DEMO)/c/experiment.c
DEMO_SERIAL := $(addprefix $(SERIAL)/c/,ghosts.c tangent.c fourdvar.c page.c) $(DEMO)/c/serial.c
DEMO_MPI := $(addprefix $(DEMO)/c/,halo.c domain.c problem.c by_driver.c main.c)
DEMO_HEADERS := $(wildcard $(DEMO)/c/*.h $(SERIAL)/c/*.h $(SERIAL)/common/*.h include/*.h include/*/*.h mpi/include/*.h)
DEMO_FLAGS := -Iinclude -Impi/include -I$(SERIAL)/common -I$(SERIAL)/c

# There may be more ranks than cores: they give way to each other where they wait, as far as the MPI can. Open MPI's
# mpiexec refuses root, and root is who runs this in a container.
export OMPI_MCA_rmaps_base_oversubscribe := 1
export OMPI_MCA_mpi_yield_when_idle := 1
export OMPI_ALLOW_RUN_AS_ROOT := 1
export OMPI_ALLOW_RUN_AS_ROOT_CONFIRM := 1
export MPIR_CVAR_POLLS_BEFORE_YIELD := 1

.DEFAULT_GOAL := demo
.PHONY: demo
demo: $(BUILD)/serial $(BUILD)/shallow_water_mpi
	@$(BUILD)/serial $(BUILD)/gradient
	@set -e; for n in $(RANKS); do $(MPIEXEC) -n $$n $(BUILD)/shallow_water_mpi $(BUILD)/gradient; echo; done
	@$(MPIEXEC) -n 2 $(BUILD)/shallow_water_mpi

$(BUILD)/serial: $(DEMO_SERIAL) $(DEMO_BOTH) $(DEMO_HEADERS) $(BUILT)/libadtape.a
	@mkdir -p $(BUILD)
	$(CC) $(CFLAGS) $(DEMO_FLAGS) -o $@ $(DEMO_SERIAL) $(DEMO_BOTH) $(BUILT)/libadtape.a -lpthread -ldl -lm

$(BUILD)/libadtape_mpi.a: mpi/adtape_mpi.c $(wildcard mpi/src/*.c) $(DEMO_HEADERS) $(BUILT)/libadtape.a
	MPICC="$(MPICC)" mpi/build.sh $(BUILT) $(BUILD)

$(BUILD)/shallow_water_mpi: $(DEMO_MPI) $(DEMO_BOTH) $(DEMO_HEADERS) $(BUILD)/libadtape_mpi.a
	$(MPICC) $(CFLAGS) $(DEMO_FLAGS) -o $@ $(DEMO_MPI) $(DEMO_BOTH) $(BUILD)/libadtape_mpi.a $(BUILT)/libadtape.a \
	  -lpthread -ldl -lm
