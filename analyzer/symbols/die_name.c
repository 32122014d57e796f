/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/symbols/die_name.h"

#include <dwarf.h>
#include <stdlib.h>

#include "analyzer/base/mem.h"
#include "analyzer/symbols/demangle.h"

#define LANG_C_PLUS_PLUS_17 0x002a /* younger than our dwarf.h */
#define LANG_C_PLUS_PLUS_20 0x002b
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

static char *add_scopes(Dwarf_Die *die, const char *name)
{
	char *text = xstrdup(name), *longer;
	Dwarf_Die declaration = *die, *scope;
	int count;

	find_declaration(&declaration);
	count = dwarf_getscopes_die(&declaration, &scope);
	for (int i = 1; i < count; i++) {
		name = scope_name(&scope[i]);
		if (!name)
			continue;
		longer = xasprintf("%s::%s", name, text);
		free(text);
		text = longer;
	}
	if (count > 0)
		free(scope);
	return text;
}

static bool has_scopes(Dwarf_Die *die)
{
	Dwarf_Die unit;

	if (!dwarf_diecu(die, &unit, NULL, NULL))
		return false;
	switch (dwarf_srclang(&unit)) {
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

	if (!name)
		name = get_text(die, DW_AT_MIPS_linkage_name);
	if (name)
		return demangle_symbol(name, demangle);
	name = get_text(die, DW_AT_name);
	if (!name)
		return NULL;
	return has_scopes(die) ? add_scopes(die, name) : xstrdup(name);
}
