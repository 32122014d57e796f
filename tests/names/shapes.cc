/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Much that is inlined, of the standard library and of its own; WITH_REGEX: four times as much. */
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>
namespace
{
struct Node {
	std::string name;
	std::vector<std::unique_ptr<Node>> below;
	int weight = 0;
};
template <class F> void each(const Node &n, F f)
{
	f(n);
	for (auto &b : n.below)
		each(*b, f);
}
int weigh(const Node &n)
{
	int s = n.weight;
	for (auto &b : n.below)
		s += weigh(*b);
	return s;
}
} // namespace
namespace shapes
{
struct Shape {
	virtual ~Shape()
	{
	}
	virtual double area() const = 0;
	virtual std::string name() const
	{
		return "shape";
	}
};
template <int N> struct Ngon : Shape {
	double r;
	explicit Ngon(double x) : r(x)
	{
	}
	double area() const override
	{
		return N * r * r / 2;
	}
	std::string name() const override
	{
		return std::to_string(N) + "-gon";
	}
};
struct Both : Ngon<3>, std::stringstream {
	Both() : Ngon<3>(2)
	{
	}
	std::string str2() const
	{
		return str();
	}
	operator bool() const
	{
		return area() > 1;
	}
};
} // namespace shapes
static std::map<std::string, std::vector<int>> table;
static inline void fill(int n)
{
	for (int i = 0; i < n; i++)
		table[std::to_string(i % 17)].push_back(i);
}
struct Thrower {
	int v;
	Thrower operator+(const Thrower &o) const
	{
		if (v > 100)
			throw std::runtime_error("v" + std::to_string(o.v));
		return { v + o.v };
	}
};
int main(int argc, char **argv)
{
	Node root;
	root.name = "root";
	for (int i = 0; i < argc + 10; i++) {
		auto n = std::make_unique<Node>();
		n->name = std::to_string(i);
		n->weight = i;
		root.below.push_back(std::move(n));
	}
	int total = 0;
	each(root, [&](const Node &n) { total += n.weight + (int)n.name.size(); });
	fill(argc * 1000);
	std::vector<std::string> words;
	for (auto &t : table)
		words.push_back(t.first);
	std::sort(words.begin(), words.end(), [](const std::string &a, const std::string &b) {
		return a.size() != b.size() ? a.size() < b.size() : b < a;
	});
	std::unordered_map<std::string, std::function<int(int)>> calls;
	calls["twice"] = [](int x) { return x * 2; };
	calls["total"] = [&](int x) { return x + total; };
	for (auto &c : calls)
		total += c.second(3);
	std::vector<std::unique_ptr<shapes::Shape>> v;
	v.emplace_back(new shapes::Ngon<4>(2));
	v.emplace_back(new shapes::Ngon<5>(1));
	std::ostringstream out;
	for (auto &s : v)
		out << s->name() << ' ' << s->area() << '\n';
#ifdef WITH_REGEX
	std::regex re("([a-z]+)-(gon|shape) ([0-9.]+)");
	std::smatch m;
	std::string text = out.str();
	while (std::regex_search(text, m, re)) {
		total += m[1].length();
		text = m.suffix();
	}
#endif
	std::set<std::pair<int, std::string>> sorted;
	for (auto &w : words)
		sorted.emplace((int)w.size(), w);
	try {
		Thrower a{ argc }, b{ total };
		for (int i = 0; i < 10; i++)
			a = a + b;
		total += a.v;
	} catch (const std::exception &e) {
		std::puts(e.what());
	}
	shapes::Both both;
	both << total;
	if (both)
		total += (int)both.str2().size();
	std::thread t([&] { total += weigh(root); });
	t.join();
	std::printf("%d %s %zu\n", total, out.str().c_str(), sorted.size());
	return 0;
}
