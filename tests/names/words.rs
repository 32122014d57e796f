// SPDX-License-Identifier: GPL-3.0-or-later
use std::collections::{BTreeMap, HashMap};
trait Shape { fn area(&self) -> f64; fn name(&self) -> String { "shape".to_string() } }
struct Square(f64); struct Circle(f64);
impl Shape for Square { fn area(&self) -> f64 { self.0 * self.0 } }
impl Shape for Circle { fn area(&self) -> f64 { self.0 * self.0 * 3.0 } fn name(&self) -> String { format!("circle {}", self.0) } }
fn words(text: &str) -> HashMap<String, usize> { let mut m = HashMap::new(); for w in text.split_whitespace() { *m.entry(w.to_lowercase()).or_insert(0) += 1; } m }
fn main() {
    let text = std::env::args().collect::<Vec<_>>().join(" b a c ");
    let mut sorted: Vec<_> = words(&text).into_iter().collect();
    sorted.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let shapes: Vec<Box<dyn Shape>> = vec![Box::new(Square(2.0)), Box::new(Circle(1.0))];
    let tree: BTreeMap<String, f64> = shapes.iter().map(|s| (s.name(), s.area())).collect();
    let t = std::thread::spawn(move || tree.iter().map(|(k, v)| k.len() as f64 * v).sum::<f64>());
    println!("{:?} {}", sorted, t.join().unwrap());
}
