# SPDX-License-Identifier: Apache-2.0
#
# make            build/libxalloc.so, build/xalloc, build/xalloc-report
# make help       every target and variable

PREFIX ?= /usr/local
DESTDIR ?=
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
MANDIR ?= $(PREFIX)/share/man
INCLUDEDIR ?= $(PREFIX)/include
INSTALL ?= install
OBJCOPY ?= objcopy
PKG_CONFIG ?= pkg-config
CC ?= cc
CXX ?= c++

BUILD := build
VERSION := 0.1.0

ifeq ($(V),1)
Q :=
say = @:
else
Q := @
say = @printf '  %-7s %s\n'
endif

OPT := $(if $(DEBUG),-O0 -g3,-O2 -g)
CFLAGS ?= $(OPT)
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes $(if $(DEVELOPER),-Werror)
BASE := -std=gnu11 -I. -D_GNU_SOURCE -DXALLOC_VERSION='"$(VERSION)"' -MMD -MP
sanitize := $(if $(SAN),-fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer)

# Code that runs inside other programs: own symbols only, frame pointers in hooks, no builtin that turns
# our code into calls of what we interpose, never sanitized, profiled or optimised at link time. A struct
# is zeroed by stores: rep stos takes longer to begin than most events take to be written.
PRELOAD_CFLAGS := $(if $(DEBUG),-O1 -g3,-O2 -g) -fPIC -fvisibility=hidden -ftls-model=initial-exec \
	-fno-omit-frame-pointer -momit-leaf-frame-pointer -fno-builtin-malloc -fno-builtin-calloc \
	-fno-builtin-realloc -fno-builtin-free -fno-stack-protector -fno-lto -fno-exceptions \
	-mgeneral-regs-only -fno-asynchronous-unwind-tables -fasynchronous-unwind-tables -U_FORTIFY_SOURCE \
	-mmemset-strategy=unrolled_loop:256:noalign,rep_8byte:-1:noalign

HOST_LIBS = -pthread -lzstd -lelf -ldw -llzma -liberty -ljansson -lnettle

preload_src := $(filter-out preload/launch/% preload/rss/%,$(wildcard preload/*.c preload/*/*.c))
launch_src := $(wildcard preload/launch/*.c preload/rss/*.c)
analyzer_src := $(wildcard analyzer/*/*.c)
unit_src := $(wildcard tests/unit/*.c)
control_src := $(wildcard controls/*.c)
prog_src := $(wildcard tests/progs/*.c)

preload_obj := $(preload_src:%.c=$(BUILD)/obj/%.o)
launch_obj := $(launch_src:%.c=$(BUILD)/obj/%.o)
analyzer_obj := $(analyzer_src:%.c=$(BUILD)/obj/%.o)
unit_obj := $(unit_src:%.c=$(BUILD)/obj/%.o)
control_bin := $(foreach o,O0 O2,$(control_src:controls/%.c=$(BUILD)/controls/%.$(o)))
prog_bin := $(prog_src:tests/progs/%.c=$(BUILD)/progs/%)

.PHONY: all case-study check check-long check-headers check-layers clean demo deps deps-long help install tests uninstall
.DELETE_ON_ERROR:
.SECONDARY:

all: $(BUILD)/libxalloc.so $(BUILD)/xalloc $(BUILD)/xalloc-report

help:
	@echo 'Targets:'
	@echo '  all            build/libxalloc.so, build/xalloc, build/xalloc-report (the default)'
	@echo '  demo           install what is missing, build, record a control program, print its report'
	@echo '  check          install what is missing, build, run all tests (under five minutes)'
	@echo '  check-long     check, and the slow tests'
	@echo '  check-layers   only the tests of the tree: includes, headers, lengths, licences'
	@echo '  check-headers  the same'
	@echo '  bench          what recording costs, against heaptrack; ROWS=NAME,NAME ROUNDS=N QUICK=1'
	@echo '  case-study     docs/case-study.md and its chart, from runs of its own; FILES="N N"'
	@echo '  bench-unwind   the unwinder against libunwind: ns and instructions an event'
	@echo '  bench-rss      what xalloc rss costs the program, and itself; MIB=N,N ROUNDS=N'
	@echo '  tests          build all that the tests need, and run none'
	@echo '  deps           install missing packages with the system package manager'
	@echo '  deps-long      what the slow tests need besides'
	@echo '  install        to $$(DESTDIR)$$(PREFIX)'
	@echo '  uninstall      remove what install put there'
	@echo '  clean          remove build/'
	@echo 'Variables:'
	@echo '  V=1            show commands'
	@echo '  DEBUG=1        -O0 -g3; the library: -O1 -g3'
	@echo '  SAN=LIST       -fsanitize=LIST for the analyzer and its unit tests'
	@echo '  DEVELOPER=1    warnings are errors'
	@echo '  NO_DEPS=1      install nothing'
	@echo '  CC, CFLAGS, LDFLAGS (all but the library), PREFIX, DESTDIR, BINDIR, LIBDIR, MANDIR, INCLUDEDIR'

# --- what changes every object when it changes
flags := $(CC) $(CFLAGS) $(LDFLAGS) $(WARN) $(BASE) $(PRELOAD_CFLAGS) $(sanitize)
headers := zstd.h libelf.h elfutils/libdw.h lzma.h libiberty/demangle.h jansson.h nettle/sha2.h libunwind-x86_64.h
$(BUILD)/flags: FORCE
	@mkdir -p $(BUILD)
	@printf '%s\n' '$(subst ','\'',$(flags))' | cmp -s - $@ || { \
		printf '#include <%s>\n' $(headers) | $(CC) $(CFLAGS) -E -x c -o /dev/null - 2>/dev/null || { \
			echo 'make: there is no $(CC), or it does not find all of $(headers):' >&2; \
			echo "make: 'make deps' installs what is missing" >&2; exit 1; }; \
		printf '%s\n' '$(subst ','\'',$(flags))' >$@; }
FORCE:
.PHONY: FORCE

# --- the preload library
# zstd is linked in and hidden; what it would take from libc (malloc, stdio, qsort) is renamed to functions
# of ours that refuse, so that the library's imports stay what they are listed to be.
zstd_archive = $(shell $(CC) -print-file-name=libzstd.a)
zstd_rename := malloc calloc free fflush fputc fwrite clock qsort qsort_r stderr __fprintf_chk fprintf printf \
	__printf_chk pthread_create pthread_join pthread_mutex_init pthread_mutex_lock \
	pthread_mutex_unlock pthread_mutex_destroy pthread_cond_init pthread_cond_wait pthread_cond_signal \
	pthread_cond_broadcast pthread_cond_destroy

$(BUILD)/libzstd-private.a: Makefile
	@mkdir -p $(@D)
	$(say) OBJCOPY $@
	$(Q)$(OBJCOPY) $(foreach s,$(zstd_rename),--redefine-sym $(s)=xalloc_zstd_$(s)) '$(zstd_archive)' $@

$(BUILD)/obj/preload/%.o: preload/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(BASE) $(WARN) $(PRELOAD_CFLAGS) -c -o $@ $<

$(BUILD)/libxalloc.so: $(preload_obj) $(BUILD)/libzstd-private.a preload/libxalloc.map
	$(say) LD $@
	$(Q)$(CC) -shared -nostartfiles -Wl,-z,now -Wl,-z,relro -Wl,-z,defs -Wl,--exclude-libs,ALL \
		-Wl,--version-script=preload/libxalloc.map -Wl,-soname,libxalloc.so -Wl,--gc-sections \
		-o $@.new $(preload_obj) $(BUILD)/libzstd-private.a -nodefaultlibs -lc
	$(Q)mv $@.new $@ # programs that start meanwhile, or run with it, have a whole one

# --- programs
define launch_rule
$(BUILD)/obj/preload/$(1)/%.o: preload/$(1)/%.c $(BUILD)/flags
	@mkdir -p $$(@D)
	$$(say) CC $$<
	$$(Q)$$(CC) $$(BASE) $$(WARN) $$(CFLAGS) -c -o $$@ $$<
endef
$(foreach room,launch rss,$(eval $(call launch_rule,$(room))))

# The one place that LIBDIR is compiled into: the rest of the tree is the same for every prefix.
$(BUILD)/libdir: FORCE
	@mkdir -p $(BUILD)
	@printf '%s\n' '$(LIBDIR)' | cmp -s - $@ || printf '%s\n' '$(LIBDIR)' >$@
$(BUILD)/obj/preload/launch/paths.o: $(BUILD)/libdir
$(BUILD)/obj/preload/launch/paths.o: private BASE += -DXALLOC_LIBDIR='"$(LIBDIR)"'

# Its helpers write traces with the library's own code.
store_obj := $(filter $(BUILD)/obj/preload/store/% $(BUILD)/obj/preload/sys/%,$(preload_obj))
$(BUILD)/xalloc: $(launch_obj) $(store_obj) $(BUILD)/libzstd-private.a
	$(say) LD $@
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^

$(BUILD)/obj/analyzer/%.o: analyzer/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(BASE) $(WARN) $(CFLAGS) $(sanitize) -c -o $@ $<

$(BUILD)/obj/analyzer/render/page_files.o: $(wildcard analyzer/render/page/*)

# gcc 12 makes pairs of what was just stored by halves, and each such load waits for both stores.
$(BUILD)/obj/analyzer/trace/event_decoder.o $(BUILD)/obj/analyzer/model/replay.o: private CFLAGS += -fno-tree-slp-vectorize

$(BUILD)/xalloc-report: $(analyzer_obj)
	$(say) LD $@
	$(Q)$(CC) $(CFLAGS) $(sanitize) $(LDFLAGS) -o $@ $^ $(HOST_LIBS)

# --- tests
$(BUILD)/obj/tests/unit/%.o: tests/unit/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(say) CC $<
	$(Q)$(CC) $(BASE) $(WARN) $(CFLAGS) $(sanitize) -c -o $@ $<

$(BUILD)/unit-tests: $(unit_obj) $(filter-out $(BUILD)/obj/analyzer/cmd/%,$(analyzer_obj))
	$(say) LD $@
	$(Q)$(CC) $(CFLAGS) $(sanitize) $(LDFLAGS) -o $@ $^ $(HOST_LIBS) \
		$$($(PKG_CONFIG) --libs check)

# Controls: no builtin and no transformation that would change who calls an allocation function.
CONTROL_CFLAGS := -std=gnu11 -g -I. -D_GNU_SOURCE -fno-builtin -fno-optimize-sibling-calls -fno-ipa-icf -pthread \
	-Wall -Wextra -Wno-unused-result -Wno-alloc-size-larger-than -MMD -MP

control_link = $< $(filter %.so,$^) -Wl,-rpath,'$$ORIGIN'

$(BUILD)/controls/%.O0: controls/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(CC) $(CONTROL_CFLAGS) -O0 -o $@ $(control_link)

$(BUILD)/controls/%.O2: controls/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(CC) $(CONTROL_CFLAGS) -O2 -o $@ $(control_link)

# Libraries of controls' own, and which control is linked with which.
$(BUILD)/controls/lib%.so: controls/lib/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(CC) $(CONTROL_CFLAGS) -O2 -fPIC -shared -o $@ $(control_link)

control_with = $(foreach o,O0 O2,$(patsubst %,$(BUILD)/controls/%.$(o),$(1)))
$(call control_with,early): $(BUILD)/controls/libearly-user.so $(BUILD)/controls/libearly.so
$(BUILD)/controls/libearly-user.so: $(BUILD)/controls/libearly.so
$(call control_with,layered): $(BUILD)/controls/liblayered.so
$(call control_with,library): $(BUILD)/controls/libplug.so
$(call control_with,exit-in-call handler-in-call jump-out-of-call realloc-handover realloc-shrinks \
	realloc-swap realloc-window): $(BUILD)/controls/libscripted.so
$(call control_with,plugin): $(BUILD)/controls/libledger.so | $(BUILD)/controls/libplugin.so

$(BUILD)/progs/%: tests/progs/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(CC) $(CONTROL_CFLAGS) -O2 -o $@ $<

-include tests/oracle/oracle.mk tests/faults.mk tests/bench/bench.mk tests/names/names.mk

tests: all $(BUILD)/unit-tests $(control_bin) $(prog_bin) $(oracle_bin) $(fault_bin) $(bench_unwind_bin) $(names_bin) \
	$(BUILD)/controls/treewalk

deps-long:
ifndef NO_DEPS
	@tests/install-deps --long
endif

deps:
ifndef NO_DEPS
	@tests/install-deps
endif

# What LD_PRELOAD cannot name: ld.so ends a path at a blank and at a colon.
odd_path = $(word 2,$(abspath $(BUILD)))$(findstring :,$(abspath $(BUILD)))
refuse_odd_path = $(if $(odd_path),@echo 'make: ld.so takes no path with blanks or colons \
in LD_PRELOAD: the tests need to be in another directory' >&2; exit 1)

check: deps
	$(refuse_odd_path)
	@$(MAKE) --no-print-directory NO_DEPS=1 tests
	@BUILD='$(abspath $(BUILD))' tests/run

check-long: deps deps-long
	$(refuse_odd_path)
	@$(MAKE) --no-print-directory NO_DEPS=1 tests
	@BUILD='$(abspath $(BUILD))' tests/run --long

check-headers check-layers: check-%:
	@BUILD='$(abspath $(BUILD))' tests/layers.test

# In a directory that LD_PRELOAD cannot name the library has a relative name, which the launcher does not give.
demo_record = $(if $(odd_path),XALLOC_OUT=$(BUILD)/demo.zst LD_PRELOAD=$(BUILD)/libxalloc.so, \
	$(BUILD)/xalloc record -o $(BUILD)/demo.zst)

demo: deps
	@$(MAKE) --no-print-directory NO_DEPS=1 all $(BUILD)/controls/walker.O2
	$(strip $(demo_record)) $(BUILD)/controls/walker.O2
	$(BUILD)/xalloc-report $(BUILD)/demo.zst

# A walker in C++ whose peak is studied in docs/case-study.md.
$(BUILD)/controls/treewalk: controls/treewalk/treewalk.cc $(BUILD)/flags
	@mkdir -p $(@D)
	$(say) CXX $@
	$(Q)$(CXX) -std=c++17 -O2 -g -Wall -Wextra -fno-optimize-sibling-calls -o $@ $<

case-study: all $(BUILD)/controls/treewalk
	PYTHONDONTWRITEBYTECODE=1 python3 controls/treewalk/case_study.py $(BUILD) docs $(FILES)

install: all
	$(INSTALL) -d '$(DESTDIR)$(BINDIR)' '$(DESTDIR)$(LIBDIR)'
	$(INSTALL) -m 755 $(BUILD)/xalloc $(BUILD)/xalloc-report '$(DESTDIR)$(BINDIR)'
	$(INSTALL) -m 755 $(BUILD)/libxalloc.so '$(DESTDIR)$(LIBDIR)'
	$(INSTALL) -d '$(DESTDIR)$(INCLUDEDIR)' '$(DESTDIR)$(LIBDIR)/pkgconfig'
	$(INSTALL) -m 644 preload/xalloc.h '$(DESTDIR)$(INCLUDEDIR)'
	printf 'includedir=%s\n\nName: xalloc\nDescription: header for programs that xalloc records\nVersion: %s\nCflags: -I$${includedir}\n' \
		'$(INCLUDEDIR)' '$(VERSION)' >'$(DESTDIR)$(LIBDIR)/pkgconfig/xalloc.pc'
	$(INSTALL) -d '$(DESTDIR)$(MANDIR)/man1'
	$(INSTALL) -m 644 docs/man/xalloc.1 docs/man/xalloc-report.1 '$(DESTDIR)$(MANDIR)/man1'
	$(if $(word 2,$(LIBDIR))$(findstring :,$(LIBDIR)),@echo 'make: $(LIBDIR)/libxalloc.so: LD_PRELOAD takes no path \
with blanks or colons: xalloc will refuse to record with it' >&2)

uninstall:
	rm -f '$(DESTDIR)$(BINDIR)/xalloc' '$(DESTDIR)$(BINDIR)/xalloc-report' '$(DESTDIR)$(LIBDIR)/libxalloc.so' \
		'$(DESTDIR)$(INCLUDEDIR)/xalloc.h' '$(DESTDIR)$(LIBDIR)/pkgconfig/xalloc.pc' \
		'$(DESTDIR)$(MANDIR)/man1/xalloc.1' '$(DESTDIR)$(MANDIR)/man1/xalloc-report.1'

clean:
	rm -rf $(BUILD)

-include $(patsubst %.o,%.d,$(preload_obj) $(launch_obj) $(analyzer_obj) $(unit_obj))
-include $(wildcard $(BUILD)/controls/*.d $(BUILD)/progs/*.d)
