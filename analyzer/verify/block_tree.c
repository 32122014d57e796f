/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analyzer/verify/block_tree.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/mem.h"

#define LEAF_MAX 32u
#define NODE_MAX 64u
#define HEIGHT_MAX 16u

/* A leaf has blocks; an inner node has children, child[i] for addresses from key[i] on. key[0] is
 * not looked at. Only a root may be empty. */
struct tree_node {
	uint32_t count;
	union {
		struct {
			struct tree_node *before, *after; /* the leaves as a list */
			struct held held[LEAF_MAX];
		};
		struct {
			uint64_t key[NODE_MAX];
			struct tree_node *child[NODE_MAX];
		};
	};
};

/* The way down to a leaf. */
struct path {
	struct tree_node *node[HEIGHT_MAX];
	uint32_t at[HEIGHT_MAX];
	struct tree_node *leaf;
};

void block_tree_init(struct block_tree *tree)
{
	*tree = (struct block_tree){ .root = xcalloc(1, sizeof(struct tree_node)) };
}

static void release_node(struct tree_node *node, uint32_t height)
{
	for (uint32_t i = 0; height && i < node->count; i++)
		release_node(node->child[i], height - 1);
	free(node);
}

void block_tree_release(struct block_tree *tree)
{
	release_node(tree->root, tree->height);
	tree->root = NULL;
}

static void descend(const struct block_tree *tree, uint64_t addr, struct path *path)
{
	struct tree_node *node = tree->root;

	for (uint32_t level = 0; level < tree->height; level++) {
		uint32_t low = 0, high = node->count;

		while (high - low > 1) {
			const uint32_t middle = (low + high) / 2;

			if (node->key[middle] <= addr)
				low = middle;
			else
				high = middle;
		}
		path->node[level] = node;
		path->at[level] = low;
		node = node->child[low];
	}
	path->leaf = node;
}

/* How many of the leaf's blocks have addresses up to addr. */
static uint32_t count_up_to(const struct tree_node *leaf, uint64_t addr)
{
	uint32_t low = 0, high = leaf->count;

	while (low < high) {
		const uint32_t middle = (low + high) / 2;

		if (leaf->held[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct neighbours block_tree_around(const struct block_tree *tree, uint64_t addr)
{
	struct neighbours found = { NULL, NULL };
	const struct tree_node *leaf;
	struct path path;
	uint32_t at;

	descend(tree, addr, &path);
	leaf = path.leaf;
	at = count_up_to(leaf, addr);
	if (at)
		found.floor = &path.leaf->held[at - 1];
	else if (leaf->before)
		found.floor = &leaf->before->held[leaf->before->count - 1];
	if (at < leaf->count)
		found.above = &path.leaf->held[at];
	else if (leaf->after)
		found.above = &leaf->after->held[0];
	return found;
}

struct held *block_tree_at(const struct block_tree *tree, uint64_t addr)
{
	struct path path;
	uint32_t at;

	descend(tree, addr, &path);
	at = count_up_to(path.leaf, addr);
	return at && path.leaf->held[at - 1].addr == addr ? &path.leaf->held[at - 1] : NULL;
}

/* node comes to stand behind the child that path leads to, at that level. */
static void add_child(struct block_tree *tree, struct path *path, uint32_t level, uint64_t key,
		      struct tree_node *node)
{
	struct tree_node *parent, *right;
	uint32_t at, kept;

	if (!level) {
		parent = xcalloc(1, sizeof(*parent));
		parent->count = 2;
		parent->child[0] = tree->root;
		parent->child[1] = node;
		parent->key[1] = key;
		tree->root = parent;
		if (++tree->height >= HEIGHT_MAX)
			BUG("a tree of %u levels", tree->height);
		return;
	}
	parent = path->node[level - 1];
	at = path->at[level - 1] + 1;
	if (parent->count == NODE_MAX) {
		kept = NODE_MAX / 2;
		right = xcalloc(1, sizeof(*right));
		right->count = NODE_MAX - kept;
		memcpy(right->key, parent->key + kept, right->count * sizeof(*right->key));
		memcpy(right->child, parent->child + kept, right->count * sizeof(*right->child));
		parent->count = kept;
		add_child(tree, path, level - 1, right->key[0], right);
		if (at > kept) {
			at -= kept;
			parent = right;
		}
	}
	memmove(parent->key + at + 1, parent->key + at,
		(parent->count - at) * sizeof(*parent->key));
	memmove(parent->child + at + 1, parent->child + at,
		(parent->count - at) * sizeof(*parent->child));
	parent->key[at] = key;
	parent->child[at] = node;
	parent->count++;
}

void block_tree_add(struct block_tree *tree, const struct held *held)
{
	struct path path;
	struct tree_node *leaf, *right;
	uint32_t at;

	descend(tree, held->addr, &path);
	leaf = path.leaf;
	at = count_up_to(leaf, held->addr);
	if (leaf->count == LEAF_MAX) {
		const uint32_t kept = LEAF_MAX / 2;

		right = xcalloc(1, sizeof(*right));
		right->count = LEAF_MAX - kept;
		memcpy(right->held, leaf->held + kept, right->count * sizeof(*right->held));
		leaf->count = kept;
		right->before = leaf;
		right->after = leaf->after;
		if (right->after)
			right->after->before = right;
		leaf->after = right;
		add_child(tree, &path, tree->height, right->held[0].addr, right);
		if (at > kept) {
			at -= kept;
			leaf = right;
		}
	}
	memmove(leaf->held + at + 1, leaf->held + at, (leaf->count - at) * sizeof(*leaf->held));
	leaf->held[at] = *held;
	leaf->count++;
	tree->count++;
}

static void remove_leaf(struct block_tree *tree, struct path *path)
{
	struct tree_node *node = path->leaf;
	uint32_t level = tree->height;

	if (node->before)
		node->before->after = node->after;
	if (node->after)
		node->after->before = node->before;
	/* The node goes, and each one above that has no other child. */
	while (level--) {
		struct tree_node *parent = path->node[level];
		const uint32_t at = path->at[level];

		free(node);
		parent->count--;
		memmove(parent->key + at, parent->key + at + 1,
			(parent->count - at) * sizeof(*parent->key));
		memmove(parent->child + at, parent->child + at + 1,
			(parent->count - at) * sizeof(*parent->child));
		if (parent->count)
			break;
		node = parent;
	}
	while (tree->height && tree->root->count == 1) {
		node = tree->root;
		tree->root = node->child[0];
		tree->height--;
		free(node);
	}
}

void block_tree_remove(struct block_tree *tree, uint64_t addr)
{
	struct path path;
	struct tree_node *leaf;
	uint32_t at;

	descend(tree, addr, &path);
	leaf = path.leaf;
	at = count_up_to(leaf, addr);
	if (!at || leaf->held[at - 1].addr != addr)
		BUG("no block to remove");
	memmove(leaf->held + at - 1, leaf->held + at, (leaf->count - at) * sizeof(*leaf->held));
	tree->count--;
	if (!--leaf->count && tree->height)
		remove_leaf(tree, &path);
}
