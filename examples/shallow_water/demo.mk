# demo.mk: compiles and runs the demo, in C and in Fortran. Run from the top of the repository, after
# cargo build --release:
#
#   make -f examples/shallow_water/demo.mk demo            or demo-c, demo-fortran; SIZE=small, default or large
#   make -f examples/shallow_water/demo.mk demo-generated  the generated adjoint beside the one by hand, in Fortran
#   make -f examples/shallow_water/demo.mk plot            draws what they measured of the checkpoints
#
# demo-generated needs the command, too: cargo build -p adtape-command.
#
# Variables: CC, CFLAGS, FC, FFLAGS; GLUE_CC, the C compiler that goes with FC; BUILD, where the programs go;
# ADTAPE_LIB, the library; ADTAPE, the command; PLOT, the picture; PAGE, the page.

BUILD ?= target/demo
CFLAGS ?= -O2
FFLAGS ?= -O2
GLUE_CC ?= gcc
ADTAPE_LIB ?= target/release/libadtape.a
PLOT ?= $(BUILD)/checkpoints.svg
PAGE ?= $(BUILD)/shallow_water.html
ADTAPE ?= target/debug/adtape
# make's own default is f77
ifeq ($(origin FC),default)
  FC = gfortran
endif

DEMO := examples/shallow_water
DEMO_COMMON := $(addprefix $(DEMO)/common/,memory.c reversal.c setup.c terminal.c)
DEMO_C := $(addprefix $(DEMO)/c/,model.c ghosts.c tangent.c adjoint_loops.c adjoint.c fourdvar.c checkpoints.c \
  optimise.c page.c replay.c vectors.c main.c)
# In the order in which the modules use each other.
DEMO_FORTRAN := fortran-bindings/adtape.F90 $(addprefix $(DEMO)/fortran/,support.f90 grid.f90 ghosts.f90 model.f90 \
  tangent.f90 adjoint_loops.f90 adjoint.f90 vectors.f90 fourdvar.f90 checkpoints.f90 optimise.f90 replay.f90 main.f90)
DEMO_LINK := $(ADTAPE_LIB) -llbfgs -lpthread -ldl -lm

DEMO_GENERATED := $(BUILD)/generated_fortran
# The model, whose modules get names of their own: the sweeps that are generated stand in them.
DEMO_RENAMED := sed 's/shallow_water_model/generated_model/; s/shallow_water_ghosts/generated_ghosts/'

.PHONY: demo-c demo-fortran demo-generated plot
ifneq ($(filter demo.mk,$(notdir $(firstword $(MAKEFILE_LIST)))),)
.DEFAULT_GOAL := demo
.PHONY: demo
demo: demo-c demo-fortran
	@$(MAKE) --no-print-directory -f $(DEMO)/demo.mk plot
# One after the other, also under make -j: each takes its times.
demo-fortran: | demo-c
endif

demo-c: $(BUILD)/shallow_water_c
	@rm -f $(BUILD)/checkpoints_c.csv $(BUILD)/page.*
	@DEMO_DATA=$(BUILD)/checkpoints_c.csv DEMO_PAGE=$(BUILD)/page $<

demo-fortran: $(BUILD)/shallow_water_fortran
	@rm -f $(BUILD)/checkpoints_fortran.csv
	@DEMO_DATA=$(BUILD)/checkpoints_fortran.csv $<

demo-generated: $(DEMO_GENERATED)/program
	@$<

$(DEMO_GENERATED)/program: $(addprefix $(DEMO)/fortran/,support.f90 grid.f90 ghosts.f90 model.f90 adjoint_loops.f90 \
    adjoint.f90 generated.f90) $(DEMO_COMMON) fortran-bindings/adtape_glue.c $(ADTAPE_LIB) $(ADTAPE)
	@mkdir -p $(DEMO_GENERATED)
	@$(DEMO_RENAMED) $(DEMO)/fortran/model.f90 >$(DEMO_GENERATED)/model.f90
	@$(DEMO_RENAMED) $(DEMO)/fortran/ghosts.f90 >$(DEMO_GENERATED)/ghosts.f90
	@cp $(DEMO)/fortran/grid.f90 $(DEMO)/fortran/support.f90 $(DEMO_GENERATED)
	cd $(DEMO_GENERATED) && $(CURDIR)/$(ADTAPE) adjoint model.f90 ghosts.f90 grid.f90 support.f90 \
	  --passive progress_add --head 'run(observed)/(w)'
	cd $(DEMO_GENERATED) && $(GLUE_CC) -O2 -I$(CURDIR)/include -c $(addprefix $(CURDIR)/,$(DEMO_COMMON) fortran-bindings/adtape_glue.c)
	$(FC) $(FFLAGS) -Ifortran-bindings -J$(DEMO_GENERATED) -o $@ fortran-bindings/adtape.F90 \
	  $(addprefix $(DEMO)/fortran/,support.f90 grid.f90 ghosts.f90 model.f90 adjoint_loops.f90 adjoint.f90) \
	  $(DEMO_GENERATED)/model_b.f90 $(DEMO)/fortran/generated.f90 $(DEMO_GENERATED)/*.o $(ADTAPE_LIB) -lpthread -ldl -lm

plot:
	@cargo run --quiet --locked --manifest-path $(DEMO)/plot/Cargo.toml --target-dir $(BUILD)/plot -- \
	  $(PLOT) $(wildcard $(BUILD)/checkpoints_*.csv)
	@echo "memory against recomputation: $(PLOT)"
	@if [ -f $(BUILD)/page.data ]; then cargo run --quiet --locked --manifest-path $(DEMO)/plot/Cargo.toml \
	  --target-dir $(BUILD)/plot -- --page $(PAGE) $(BUILD)/page $(PLOT) && echo "the page: $(PAGE)"; fi

$(BUILD)/shallow_water_c: $(DEMO_C) $(DEMO_COMMON) $(wildcard $(DEMO)/c/*.h $(DEMO)/common/*.h include/*.h include/*/*.h) $(ADTAPE_LIB)
	@$(DEMO_NEEDS_LBFGS)
	@mkdir -p $(BUILD)
	$(CC) $(CFLAGS) -Iinclude -I$(DEMO)/common -o $@ $(DEMO_C) $(DEMO_COMMON) $(DEMO_LINK)

$(BUILD)/shallow_water_fortran: $(DEMO_FORTRAN) $(DEMO_COMMON) fortran-bindings/adtape_glue.c \
    $(wildcard fortran-bindings/*.inc fortran-bindings/*/*.inc $(DEMO)/common/*.h include/*.h include/*/*.h) $(ADTAPE_LIB)
	@$(DEMO_NEEDS_LBFGS)
	@mkdir -p $(BUILD)/fortran
	cd $(BUILD)/fortran && $(GLUE_CC) -O2 -I$(CURDIR)/include -c $(addprefix $(CURDIR)/,$(DEMO_COMMON) fortran-bindings/adtape_glue.c)
	$(FC) $(FFLAGS) -Ifortran-bindings -J$(BUILD)/fortran -o $@ $(DEMO_FORTRAN) \
	  $(addprefix $(BUILD)/fortran/,memory.o reversal.o setup.o terminal.o adtape_glue.o) $(DEMO_LINK)

# The optimiser's library; the linker's message about it would be harder to read.
define DEMO_NEEDS_LBFGS
printf '%s\n' '#include <lbfgs.h>' | $(GLUE_CC) -E - >/dev/null 2>&1 || { echo "the demo needs libLBFGS, which is not installed (Debian, Ubuntu: apt-get install liblbfgs-dev; Fedora: liblbfgs-devel)" >&2; exit 1; }
endef
