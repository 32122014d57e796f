/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/render/render_comparable.h"

#include <stdlib.h>

#include "analyzer/base/number.h"
#include "analyzer/base/text.h"
#include "analyzer/render/json_value.h"

/* An empty one is named, so that the arrow has two sides. */
static void put_value(FILE *out, const char *value)
{
	text_put_clean(out, *value ? value : "none");
}

static void put_fact(FILE *out, const struct comparable_fact *fact)
{
	char *affects = comparable_affects_text(fact->affects);

	fprintf(out, "  %s%-14s ", fact->is_reason ? "! " : "  ",
		comparable_state_text(fact->state));
	text_put_clean(out, fact->name);
	if (fact->state == COMPARABLE_DIFFERENT) {
		fputs(": ", out);
		put_value(out, fact->before);
		fputs(" -> ", out);
		put_value(out, fact->after);
	} else if (fact->state == COMPARABLE_EQUAL) { /* a reason all the same */
		fputs(": ", out);
		text_put_clean(out, fact->before);
		fputs(" in both", out);
	} else if (fact->state == COMPARABLE_NOT_LOADED) {
		fputs(*fact->before ? " in the new one" : " in the old one", out);
	}
	fprintf(out, " (may affect %s)\n", affects);
	free(affects);
}

/* Not what is equal, nor what neither of them says. */
static bool is_to_be_said(const struct comparable_fact *fact)
{
	if (fact->is_reason)
		return true;
	return fact->state != COMPARABLE_EQUAL && (*fact->before || *fact->after);
}

void render_comparable_text(FILE *out, const struct comparable *c, const char *path)
{
	size_t others = 0;

	for (size_t i = 0; i < c->facts; i++)
		others += is_to_be_said(&c->fact[i]);
	fputs(c->is_comparable ? "\ncomparable" : "\nNOT comparable", out);
	if (path) {
		fputs(": ", out);
		text_put_clean(out, path);
	}
	fprintf(out, "; of %s facts %s are equal\n", number_count(c->facts).text,
		number_count(c->facts - others).text);
	for (size_t i = 0; i < c->facts; i++)
		if (is_to_be_said(&c->fact[i]))
			put_fact(out, &c->fact[i]);
}

static json_t *build_affects(unsigned affects)
{
	static const char *const text[] = { "counts", "resident", "times", "stacks" };
	json_t *value = json_array();

	for (unsigned i = 0; i < 4; i++)
		if (affects >> i & 1)
			json_value_append(value, json_value_text(text[i]));
	return value;
}

json_t *render_comparable_json(const struct comparable *c, const char *before, const char *after)
{
	json_t *value = json_object(), *facts = json_array();

	for (size_t i = 0; i < c->facts; i++) {
		const struct comparable_fact *fact = &c->fact[i];
		json_t *one = json_object();

		json_value_set(one, "name", json_value_text(fact->name));
		json_value_set(one, "state", json_value_text(comparable_state_text(fact->state)));
		json_value_set(one, before, json_value_text(fact->before));
		json_value_set(one, after, json_value_text(fact->after));
		json_value_set(one, "affects", build_affects(fact->affects));
		json_value_set(one, "is_reason", json_boolean(fact->is_reason));
		json_value_append(facts, one);
	}
	json_value_set(value, "comparable", json_boolean(c->is_comparable));
	json_value_set(value, "facts", facts);
	return value;
}
