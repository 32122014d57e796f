# SPDX-License-Identifier: GPL-3.0-or-later
#
# The hazard programs: tests/hazards/NAME.c or .cc, with NAME.S where there is one, and their libraries.

hazard_src := $(filter-out tests/hazards/collector.c,$(wildcard tests/hazards/*.c tests/hazards/*.cc))
hazard_rooms := $(foreach n,8 100 200,$(BUILD)/hazards/libroom-$(n).so)
hazard_lib := $(hazard_rooms) $(addprefix $(BUILD)/hazards/lib,tls-call.so tls-descriptor.so bound.so binds.so)
hazard_bin := $(patsubst tests/hazards/%,$(BUILD)/hazards/%,$(basename $(hazard_src))) $(hazard_lib)

# libgc is not for building anything else: without it the test says so
ifneq ($(wildcard $(addsuffix /gc.h,/usr/include /usr/local/include)),)
hazard_bin += $(BUILD)/hazards/collector
endif

HAZARD_FLAGS := -g -I. -D_GNU_SOURCE -O2 -fno-builtin -fno-ipa-icf -fomit-frame-pointer -pthread -Wall -Wextra \
	-Wshadow -MMD -MP

$(foreach s,$(wildcard tests/hazards/*.S),$(eval $(s:tests/%.S=$(BUILD)/%): $(s)))
$(BUILD)/hazards/mixed $(BUILD)/hazards/steps: $(addprefix tests/hazards/,other-cfa.S rbp-live.S stack-switch.S)

$(BUILD)/hazards/%: tests/hazards/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(CC) -std=gnu11 -Wstrict-prototypes $(HAZARD_FLAGS) -MF $@.d -o $@ $(filter %.c %.S,$^) $(hazard_more)

$(BUILD)/hazards/%: tests/hazards/%.cc $(BUILD)/flags
	@mkdir -p $(@D)
	$(say) CXX $@
	$(Q)$(CXX) $(HAZARD_FLAGS) -MF $@.d -o $@ $<

$(BUILD)/hazards/collector: hazard_more := -lgc

$(hazard_rooms): hazard_more = -DROOM=$(@:$(BUILD)/hazards/libroom-%.so=%)
$(BUILD)/hazards/libtls-descriptor.so: hazard_more := -mtls-dialect=gnu2
$(BUILD)/hazards/libbinds.so $(BUILD)/hazards/libbound.so: hazard_more := -Wl,-z,lazy
$(hazard_rooms): tests/hazards/lib/room.c
$(BUILD)/hazards/libtls-call.so $(BUILD)/hazards/libtls-descriptor.so: tests/hazards/lib/tls.c
$(BUILD)/hazards/libbound.so: tests/hazards/lib/bound.c
$(BUILD)/hazards/libbinds.so: tests/hazards/lib/binds.c
$(hazard_lib): $(BUILD)/flags
	@mkdir -p $(@D)
	$(say) CC $@
	$(Q)$(CC) -std=gnu11 -Wstrict-prototypes $(HAZARD_FLAGS) -MF $@.d -fPIC -shared -o $@ $(filter %.c,$^) \
		$(hazard_more)

-include $(wildcard $(BUILD)/hazards/*.d)
