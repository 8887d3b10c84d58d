# demo.mk: writes the adjoint of the model in examples/generated/stencil, proves it, and tests its gradient. Run from the
# top of the repository, after cargo build --release --lib and cargo build -p adtape-command.
#
# Variables: CC; BUILD, where the files go.

BUILD ?= target/demo/generated
WORK := $(BUILD)/stencil
FLAGS := -I$(CURDIR)/include $(CURDIR)/target/release/libadtape.a -lpthread -ldl -lm

SHELL := /bin/bash

.PHONY: demo
demo:
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
