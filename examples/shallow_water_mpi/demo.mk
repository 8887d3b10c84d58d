# demo.mk: compiles and runs the demo on many ranks, in C and in Fortran. Run from the top of the repository, after
# cargo build --release:
#
#   make -f examples/shallow_water_mpi/demo.mk demo         or demo-c, demo-fortran; SIZE=small, default or large
#
# Variables: MPICC, MPIFC and MPIEXEC, of one MPI; CC, CFLAGS; FC, FFLAGS, of the compiler that MPIFC calls; GLUE_CC, the C
# compiler that goes with it; RANKS, on how many it runs; BUILD, where the programs go; BUILT, where libadtape.a is;
# MODULES, where adtape's Fortran modules and their archives are.

BUILD ?= target/demo-mpi
BUILT ?= target/release
MODULES ?= $(BUILD)/modules
CFLAGS ?= -O2
FFLAGS ?= -O2
GLUE_CC ?= gcc
MPICC ?= mpicc
MPIFC ?= mpifort
MPIEXEC ?= mpiexec
RANKS ?= 1 2 3 4
# make's own default is f77
ifeq ($(origin FC),default)
  FC = gfortran
endif

SERIAL := examples/shallow_water
DEMO := examples/shallow_water_mpi
DEMO_HEADERS := $(wildcard $(DEMO)/*/*.h $(SERIAL)/*/*.h include/*.h include/*/*.h mpi/include/*.h)
DEMO_FLAGS := -Iinclude -Impi/include -I$(SERIAL)/common -I$(SERIAL)/c -I$(DEMO)/common
DEMO_LIBRARIES := $(BUILT)/libadtape.a -lpthread -ldl -lm

# There may be more ranks than cores: they give way to each other where they wait, as far as the MPI can. Open MPI's
# mpiexec refuses root, and root is who runs this in a container.
export OMPI_MCA_rmaps_base_oversubscribe := 1
export OMPI_MCA_mpi_yield_when_idle := 1
export OMPI_ALLOW_RUN_AS_ROOT := 1
export OMPI_ALLOW_RUN_AS_ROOT_CONFIRM := 1
export MPIR_CVAR_POLLS_BEFORE_YIELD := 1

.DEFAULT_GOAL := demo
.PHONY: demo demo-c demo-fortran
demo: demo-c demo-fortran
# One after the other, also under make -j.
demo-fortran: | demo-c

demo-c demo-fortran: demo-%: $(BUILD)/serial_% $(BUILD)/shallow_water_mpi_%
	@$(BUILD)/serial_$* $(BUILD)/gradient_$*
	@set -e; for n in $(RANKS); do $(MPIEXEC) -n $$n $(BUILD)/shallow_water_mpi_$* $(BUILD)/gradient_$*; echo; done
	@$(MPIEXEC) -n 2 $(BUILD)/shallow_water_mpi_$*
	@echo

# ---- C -------------------------------------------------------------------------------------------------------------

# What both programs have: the model and its adjoint, but for ghost cells.
C_BOTH := $(addprefix $(SERIAL)/c/,model.c adjoint_loops.c adjoint.c vectors.c) $(SERIAL)/common/terminal.c \
  $(DEMO)/common/experiment.c
C_SERIAL := $(addprefix $(SERIAL)/c/,ghosts.c tangent.c fourdvar.c page.c) $(DEMO)/c/serial.c
C_MPI := $(addprefix $(DEMO)/c/,halo.c domain.c problem.c by_driver.c main.c) $(DEMO)/common/bits.c

$(BUILD)/serial_c: $(C_SERIAL) $(C_BOTH) $(DEMO_HEADERS) $(BUILT)/libadtape.a
	@mkdir -p $(BUILD)
	$(CC) $(CFLAGS) $(DEMO_FLAGS) -o $@ $(C_SERIAL) $(C_BOTH) $(DEMO_LIBRARIES)

$(BUILD)/libadtape_mpi.a: mpi/adtape_mpi.c $(wildcard mpi/src/*.c) $(DEMO_HEADERS) $(BUILT)/libadtape.a
	MPICC="$(MPICC)" mpi/build.sh $(BUILT) $(BUILD)

$(BUILD)/shallow_water_mpi_c: $(C_MPI) $(C_BOTH) $(DEMO_HEADERS) $(BUILD)/libadtape_mpi.a
	$(MPICC) $(CFLAGS) $(DEMO_FLAGS) -o $@ $(C_MPI) $(C_BOTH) $(BUILD)/libadtape_mpi.a $(DEMO_LIBRARIES)

# ---- Fortran -------------------------------------------------------------------------------------------------------

# In the order in which the modules use each other. Both programs have a module shallow_water_ghosts, each its own.
FORTRAN_SERIAL := $(addprefix $(SERIAL)/fortran/,support.f90 grid.f90 ghosts.f90 model.f90 tangent.f90 \
  adjoint_loops.f90 adjoint.f90 vectors.f90 fourdvar.f90) $(addprefix $(DEMO)/fortran/,experiment.f90 serial.f90)
FORTRAN_MPI := $(addprefix $(SERIAL)/fortran/,support.f90 grid.f90) $(addprefix $(DEMO)/fortran/,domain.f90 halo.f90) \
  $(addprefix $(SERIAL)/fortran/,model.f90 adjoint_loops.f90 adjoint.f90 vectors.f90) \
  $(addprefix $(DEMO)/fortran/,experiment.f90 problem.f90 by_driver.f90 main.f90)
# What both have in C.
FORTRAN_C := $(addprefix $(SERIAL)/common/,memory.c reversal.c setup.c terminal.c) \
  $(addprefix $(DEMO)/common/,experiment.c bits.c)
FORTRAN_OBJECTS := $(addprefix $(BUILD)/fortran/,$(notdir $(FORTRAN_C:.c=.o)))

$(MODULES)/libadtape_fortran.a: $(wildcard fortran-bindings/* fortran-bindings/*/* include/*.h include/*/*.h)
	FC="$(FC)" CC="$(GLUE_CC)" scripts/install/build_fortran.sh fortran-bindings include $(MODULES)

$(MODULES)/libadtape_mpi_fortran.a: $(wildcard mpi/fortran/* mpi/fortran/*/* mpi/include/*.h include/*.h include/*/*.h)
	MPIFC="$(MPIFC)" MPICC="$(MPICC)" mpi/build_fortran.sh $(MODULES)

$(BUILD)/fortran/built: $(FORTRAN_C) $(DEMO_HEADERS)
	@mkdir -p $(BUILD)/fortran/serial $(BUILD)/fortran/mpi
	cd $(BUILD)/fortran && $(GLUE_CC) $(CFLAGS) $(patsubst -I%,-I$(CURDIR)/%,$(DEMO_FLAGS)) -c $(addprefix $(CURDIR)/,$(FORTRAN_C))
	@touch $@

$(BUILD)/serial_fortran: $(FORTRAN_SERIAL) $(BUILD)/fortran/built $(MODULES)/libadtape_fortran.a $(BUILT)/libadtape.a
	$(FC) $(FFLAGS) -I$(MODULES) -J$(BUILD)/fortran/serial -o $@ $(FORTRAN_SERIAL) $(FORTRAN_OBJECTS) \
	  $(MODULES)/libadtape_fortran.a $(DEMO_LIBRARIES)

$(BUILD)/shallow_water_mpi_fortran: $(FORTRAN_MPI) $(BUILD)/fortran/built $(BUILD)/libadtape_mpi.a \
    $(MODULES)/libadtape_mpi_fortran.a $(MODULES)/libadtape_fortran.a
	$(MPIFC) $(FFLAGS) -I$(MODULES) -J$(BUILD)/fortran/mpi -o $@ $(FORTRAN_MPI) $(FORTRAN_OBJECTS) \
	  $(MODULES)/libadtape_mpi_fortran.a $(BUILD)/libadtape_mpi.a $(MODULES)/libadtape_fortran.a $(DEMO_LIBRARIES)
