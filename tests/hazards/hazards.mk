# SPDX-License-Identifier: GPL-3.0-or-later
#
# The hazard programs: tests/hazards/NAME.c or .cc, with NAME.S where there is one, and their libraries.

hazard_src := $(filter-out tests/hazards/collector.c,$(wildcard tests/hazards/*.c tests/hazards/*.cc))
hazard_lib := $(addprefix $(BUILD)/hazards/lib,room-8.so room-200.so tls-call.so tls-descriptor.so bound.so \
	binds.so)
hazard_bin := $(patsubst tests/hazards/%,$(BUILD)/hazards/%,$(basename $(hazard_src))) $(hazard_lib)

# libgc is not for building anything else: without it the test says so
ifneq ($(wildcard $(addsuffix /gc.h,/usr/include /usr/local/include)),)
hazard_bin += $(BUILD)/hazards/collector
endif

HAZARD_FLAGS := -g -I. -D_GNU_SOURCE -O2 -fno-builtin -fno-ipa-icf -fomit-frame-pointer -pthread -Wall -Wextra \
	-Wshadow -MMD -MP

$(foreach s,$(wildcard tests/hazards/*.S),$(eval $(s:tests/%.S=$(BUILD)/%): $(s)))

$(BUILD)/hazards/%: tests/hazards/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(CC) -std=gnu11 -Wstrict-prototypes $(HAZARD_FLAGS) -MF $@.d -o $@ $(filter %.c %.S,$^) $(hazard_libs)

$(BUILD)/hazards/%: tests/hazards/%.cc $(BUILD)/flags
	@mkdir -p $(@D)
	$(say) CXX $@
	$(Q)$(CXX) $(HAZARD_FLAGS) -MF $@.d -o $@ $<

$(BUILD)/hazards/collector: hazard_libs := -lgc

$(BUILD)/hazards/libroom-8.so: hazard_libs := -DROOM=8
$(BUILD)/hazards/libroom-200.so: hazard_libs := -DROOM=200
$(BUILD)/hazards/libtls-descriptor.so: hazard_libs := -mtls-dialect=gnu2
$(BUILD)/hazards/libbinds.so $(BUILD)/hazards/libbound.so: hazard_libs := -Wl,-z,lazy
$(BUILD)/hazards/libroom-8.so $(BUILD)/hazards/libroom-200.so: tests/hazards/lib/room.c
$(BUILD)/hazards/libtls-call.so $(BUILD)/hazards/libtls-descriptor.so: tests/hazards/lib/tls.c
$(BUILD)/hazards/libbound.so: tests/hazards/lib/bound.c
$(BUILD)/hazards/libbinds.so: tests/hazards/lib/binds.c
$(hazard_lib): $(BUILD)/flags
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(CC) -std=gnu11 -Wstrict-prototypes $(HAZARD_FLAGS) -MF $@.d -fPIC -shared -o $@ $(filter %.c,$^) \
		$(hazard_libs)

-include $(wildcard $(BUILD)/hazards/*.d)
