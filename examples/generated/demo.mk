# demo.mk: writes the adjoints of the models in examples/generated/stencil, in C, and examples/generated/misfit, in
# Fortran, proves them, and tests their gradients. Run from the top of the repository, after cargo build --release --lib
# and cargo build -p adtape-command.
#
# Variables: CC, FC; BUILD, where the files go.

BUILD ?= target/demo/generated
WORK := $(BUILD)/stencil
FORTRAN_WORK := $(BUILD)/misfit
MODULE := $(CURDIR)/$(BUILD)/module
# make's own default is f77
ifeq ($(origin FC),default)
  FC = gfortran
endif
FLAGS := -I$(CURDIR)/include $(CURDIR)/target/release/libadtape.a -lpthread -ldl -lm

SHELL := /bin/bash

FORTRAN_FLAGS := -I$(MODULE) $(MODULE)/libadtape_fortran.a $(FLAGS)

.PHONY: demo demo-c demo-fortran
demo: demo-c demo-fortran
demo-fortran: | demo-c

demo-c:
	@mkdir -p $(WORK)
	@cp examples/generated/common.h $(BUILD)
	@cp examples/generated/stencil/stencil.c examples/generated/stencil/driver.c $(WORK)
	@echo
	@echo "The generator: from a model in C, examples/generated/stencil/stencil.c, to its adjoint, checked"
	@echo "  adtape adjoint stencil.c --head 'misfit(misfit)/(u rate)' --check driver.c"
	@cd $(WORK) && ADTAPE_FLAGS='$(FLAGS)' $(CURDIR)/target/debug/adtape adjoint stencil.c \
	  --head 'misfit(misfit)/(u rate)' --check driver.c 2>&1 | sed 's/^/  /'; exit $${PIPESTATUS[0]}
	@cd $(WORK) && $(CC) -O2 -o gradient stencil_b.c driver.c $(FLAGS)
	@echo "  its gradient, tested:"
	@cd $(WORK) && ./gradient | sed 's/^/  /'; exit $${PIPESTATUS[0]}
	@echo "  the adjoint: $(WORK)/stencil_b.c"
	@echo

demo-fortran:
	@mkdir -p $(FORTRAN_WORK)
	@cp examples/generated/misfit/misfit.f90 examples/generated/misfit/driver.f90 $(FORTRAN_WORK)
	@FC='$(FC)' scripts/install/build_fortran.sh fortran-bindings include $(MODULE)
	@echo "From a model in Fortran, examples/generated/misfit/misfit.f90, to its adjoint, checked"
	@echo "  adtape adjoint misfit.f90 --head 'misfit(misfit)/(p)' --check driver.f90"
	@cd $(FORTRAN_WORK) && FC='$(FC)' ADTAPE_FLAGS='$(FORTRAN_FLAGS)' $(CURDIR)/target/debug/adtape adjoint misfit.f90 \
	  --head 'misfit(misfit)/(p)' --check driver.f90 2>&1 | sed 's/^/  /'; exit $${PIPESTATUS[0]}
	@cd $(FORTRAN_WORK) && $(FC) -O2 -o gradient misfit_b.f90 driver.f90 $(FORTRAN_FLAGS)
	@echo "  its gradient, tested:"
	@cd $(FORTRAN_WORK) && ./gradient | sed 's/^/  /'; exit $${PIPESTATUS[0]}
	@echo "  the adjoint: $(FORTRAN_WORK)/misfit_b.f90"
	@echo
