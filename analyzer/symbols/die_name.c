/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/symbols/die_name.h"

#include <dwarf.h>
#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/symbols/demangle.h"

#define LANG_C_PLUS_PLUS_17 0x002a /* younger than our dwarf.h */
#define LANG_C_PLUS_PLUS_20 0x002b
#define SCOPES_MAX 64
#define ORIGINS_MAX \
	16 /* steps to where a function is declared; damaged files go round in circles */

static const char *get_text(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attribute;
	const char *text = dwarf_formstring(dwarf_attr_integrate(die, name, &attribute));

	return text && *text ? text : NULL;
}

/* Goes on to where the function is declared, which is where its scopes are. */
static void find_declaration(Dwarf_Die *die)
{
	Dwarf_Attribute attribute;

	for (int i = 0; i < ORIGINS_MAX; i++)
		if ((!dwarf_attr(die, DW_AT_abstract_origin, &attribute) &&
		     !dwarf_attr(die, DW_AT_specification, &attribute)) ||
		    !dwarf_formref_die(&attribute, die))
			break;
}

static const char *scope_name(Dwarf_Die *scope)
{
	const char *name = get_text(scope, DW_AT_name);

	switch (dwarf_tag(scope)) {
	case DW_TAG_namespace:
		return name ? name : "(anonymous namespace)";
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_subprogram:
		return name;
	default:
		return NULL;
	}
}

/* What the DIE lies in, the outermost first: at each level the last one that begins before it.
 * Returns how many. */
static unsigned find_scopes(Dwarf_Die *die, Dwarf_Die *unit, Dwarf_Die scope[SCOPES_MAX])
{
	const Dwarf_Off target = dwarf_dieoffset(die);
	Dwarf_Die at = *unit, next;
	unsigned count = 0;

	while (!dwarf_child(&at, &next) && dwarf_dieoffset(&next) <= target) {
		do {
			at = next;
		} while (!dwarf_siblingof(&at, &next) && dwarf_dieoffset(&next) <= target &&
			 dwarf_dieoffset(&next) > dwarf_dieoffset(&at));
		if (dwarf_dieoffset(&at) == target)
			return count;
		if (count == SCOPES_MAX)
			break;
		scope[count++] = at;
	}
	return 0;
}

static char *add_scopes(Dwarf_Die *die, Dwarf_Die *unit, const char *name)
{
	Dwarf_Die scope[SCOPES_MAX];
	const unsigned count = find_scopes(die, unit, scope);
	char *text = xstrdup(""), *longer;

	for (unsigned i = 0; i < count; i++) {
		const char *part = scope_name(&scope[i]);

		if (!part)
			continue;
		longer = xasprintf("%s%s::", text, part);
		free(text);
		text = longer;
	}
	longer = xasprintf("%s%s", text, name);
	free(text);
	return longer;
}

static bool has_scopes(Dwarf_Die *unit)
{
	switch (dwarf_srclang(unit)) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case LANG_C_PLUS_PLUS_17:
	case LANG_C_PLUS_PLUS_20:
	case DW_LANG_D:
	case DW_LANG_Rust:
		return true;
	default:
		return false;
	}
}

char *die_name_build(Dwarf_Die *die, bool demangle)
{
	const char *name = get_text(die, DW_AT_linkage_name);
	Dwarf_Die declaration, unit;

	if (!name)
		name = get_text(die, DW_AT_MIPS_linkage_name);
	if (name)
		return demangle_symbol(name, demangle);
	name = get_text(die, DW_AT_name);
	if (!name)
		return NULL;
	declaration = *die;
	find_declaration(&declaration);
	if (!dwarf_diecu(&declaration, &unit, NULL, NULL) || !has_scopes(&unit))
		return xstrdup(name);
	return add_scopes(&declaration, &unit, name);
}

const void *die_name_key(const Dwarf_Die *die)
{
	Dwarf_Die origin = *die;
	Dwarf_Attribute attribute;

	if (dwarf_attr(&origin, DW_AT_abstract_origin, &attribute) &&
	    !dwarf_formref_die(&attribute, &origin))
		return die->addr;
	return origin.addr;
}
