//! A treemap of ROM: rectangles in rectangles, each as large as its bytes.

use super::columns::share;
use super::html::Palette;
use super::select::OTHER;
use crate::report::{FileReport, Row};
use std::collections::BTreeMap;

/// Size of the picture, in its own units, which are pixels on a wide screen.
pub const WIDTH: f64 = 1160.0;
/// See [`WIDTH`].
pub const HEIGHT: f64 = 560.0;
/// What is smaller than one in so many of the whole shares a tile with others that are.
const SMALLEST_SHARE: u64 = 2000;
/// Height of a line of text.
const LINE: f64 = 14.0;
/// Average width of a character.
const CHARACTER: f64 = 6.3;

/// A rectangle of the picture.
#[derive(Clone, PartialEq, Debug)]
pub struct Tile {
    /// Where it is.
    pub area: Area,
    /// Its colour, as classes of the style sheet.
    pub class: String,
    /// Name, bytes, share.
    pub title: String,
    /// What is written in it, line by line with their places.
    pub label: Vec<(f64, f64, String)>,
}

/// Left, top, width and height.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Area {
    /// Left edge.
    pub x: f64,
    /// Top edge.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

/// A section, a crate or family, or a symbol.
struct Node {
    name: String,
    class: String,
    bytes: u64,
    /// Largest first.
    children: Vec<Node>,
}

/// The tiles of a file, outer ones before those in them. None if nothing is in ROM.
pub fn tiles(report: &FileReport, palette: &Palette<'_>) -> Vec<Tile> {
    let mut tiles = Vec::new();
    if report.total_bytes > 0 {
        let area = Area { x: 0.0, y: 0.0, width: WIDTH, height: HEIGHT };
        draw_all(&sections(report, palette), area, report.total_bytes, &mut tiles);
    }
    tiles
}

fn sections(report: &FileReport, palette: &Palette<'_>) -> Vec<Node> {
    let mut sections: BTreeMap<&str, BTreeMap<&str, Vec<Node>>> = BTreeMap::new();
    for row in report.symbols.iter().filter(|row| row.total_bytes > 0) {
        let group = row.crate_name.as_deref().or(row.family.as_deref()).unwrap_or(OTHER);
        let leaf = |row: &Row| Node {
            name: row.name.clone(),
            class: palette.class(row),
            bytes: row.total_bytes,
            children: Vec::new(),
        };
        sections.entry(&row.section).or_default().entry(group).or_default().push(leaf(row));
    }
    let smallest = report.total_bytes / SMALLEST_SHARE;
    let section = |(name, groups): (&str, BTreeMap<&str, Vec<Node>>)| {
        let alone = groups.len() == 1;
        let mut groups: Vec<Node> = groups.into_iter().map(|(name, rows)| parent(name, rows, smallest)).collect();
        // A level with one group says nothing.
        let children = if alone { groups.remove(0).children } else { groups };
        parent(name, children, smallest)
    };
    let sections = sections.into_iter().map(section).collect();
    parent("", sections, smallest).children
}

/// A node around others, of which small ones share a tile.
fn parent(name: &str, children: Vec<Node>, smallest: u64) -> Node {
    let bytes = children.iter().map(|child| child.bytes).sum();
    let (mut children, small): (Vec<Node>, Vec<Node>) = children.into_iter().partition(|child| child.bytes >= smallest);
    if small.len() > 1 {
        let bytes = small.iter().map(|child| child.bytes).sum();
        let class = format!("small {}", main_class(&small));
        children.push(Node { name: format!("{} smaller", small.len()), class, bytes, children: Vec::new() });
    } else {
        children.extend(small);
    }
    // Stable: equal ones keep the order of the report.
    children.sort_by_key(|child| std::cmp::Reverse(child.bytes));
    Node { name: name.to_owned(), class: "around".to_owned(), bytes, children }
}

/// The class that most bytes have.
fn main_class(nodes: &[Node]) -> &str {
    let mut classes: BTreeMap<&str, u64> = BTreeMap::new();
    nodes.iter().for_each(|node| *classes.entry(&node.class).or_default() += node.bytes);
    classes.into_iter().max_by_key(|(_, bytes)| *bytes).map_or("", |(class, _)| class)
}

fn draw_all(nodes: &[Node], area: Area, whole: u64, tiles: &mut Vec<Tile>) {
    let bytes: Vec<u64> = nodes.iter().map(|node| node.bytes).collect();
    for (node, area) in nodes.iter().zip(squarify(&bytes, area)) {
        draw(node, area, whole, tiles);
    }
}

fn draw(node: &Node, area: Area, whole: u64, tiles: &mut Vec<Tile>) {
    let title = format!("{}\n{} bytes, {}", node.name, node.bytes, share(node.bytes, whole));
    let heading = if area.height > 3.0 * LINE && area.width > 6.0 * CHARACTER { LINE + 1.0 } else { 2.0 };
    let inner =
        Area { x: area.x + 2.0, y: area.y + heading, width: area.width - 4.0, height: area.height - heading - 2.0 };
    let has_room = inner.width > 4.0 && inner.height > 4.0;
    let lines = match node.children.is_empty() || !has_room {
        true => vec![node.name.clone(), node.bytes.to_string()],
        false if heading > 2.0 => vec![format!("{} {}", node.name, node.bytes)],
        false => Vec::new(),
    };
    tiles.push(Tile { area, class: node.class.clone(), title, label: label(lines, area) });
    if has_room {
        draw_all(&node.children, inner, whole, tiles);
    }
}

/// The lines that fit, cut where only a part of them does.
fn label(lines: Vec<String>, area: Area) -> Vec<(f64, f64, String)> {
    let columns = ((area.width - 6.0) / CHARACTER).max(0.0) as usize;
    let rows = ((area.height - 2.0) / LINE).max(0.0) as usize;
    let fitting = lines.into_iter().take(rows).map_while(|line| fit(&line, columns)).enumerate();
    fitting.map(|(n, line)| (area.x + 4.0, area.y + LINE * (n + 1) as f64 - 2.0, line)).collect()
}

/// The text, or its last name, or its beginning.
fn fit(text: &str, columns: usize) -> Option<String> {
    let fits = |text: &str| text.chars().count() <= columns;
    let last = last_name(text);
    if fits(text) {
        Some(text.to_owned())
    } else if fits(last) {
        Some(last.to_owned())
    } else if columns >= 4 {
        let cut: String = last.chars().take(columns - 1).collect();
        Some(cut + "…")
    } else {
        None
    }
}

/// What follows the last `::` that is not between angle brackets.
fn last_name(path: &str) -> &str {
    let mut depth = 0_i32;
    let mut start = 0;
    for (at, character) in path.char_indices() {
        match character {
            '<' => depth += 1,
            '>' => depth -= 1,
            ':' if depth == 0 => start = at + 1,
            _ => {}
        }
    }
    &path[start..]
}

/// Divides an area in proportion to `sizes` (largest first, none 0), as squarely as can be had row by row: M. Bruls,
/// K. Huizing, J. van Wijk, "Squarified Treemaps" (2000).
fn squarify(sizes: &[u64], area: Area) -> Vec<Area> {
    let whole: f64 = sizes.iter().map(|size| *size as f64).sum();
    let scale = area.width * area.height / whole;
    let sizes: Vec<f64> = sizes.iter().map(|size| *size as f64 * scale).collect();
    let mut free = area;
    let mut areas = Vec::with_capacity(sizes.len());
    while areas.len() < sizes.len() {
        let rest = &sizes[areas.len()..];
        // Rounding can leave nothing for the last ones.
        let side = free.width.min(free.height).max(f64::EPSILON);
        let (count, sum) = row(rest, side);
        let depth = sum / side;
        let upright = free.width >= free.height;
        let mut at = if upright { free.y } else { free.x };
        for size in &rest[..count] {
            let length = size / depth;
            areas.push(match upright {
                true => Area { x: free.x, y: at, width: depth, height: length },
                false => Area { x: at, y: free.y, width: length, height: depth },
            });
            at += length;
        }
        match upright {
            true => free = Area { x: free.x + depth, width: free.width - depth, ..free },
            false => free = Area { y: free.y + depth, height: free.height - depth, ..free },
        }
    }
    areas
}

/// How many of `sizes` make the row along `side` whose longest rectangle is least so, and their sum.
fn row(sizes: &[f64], side: f64) -> (usize, f64) {
    let mut sum = sizes[0];
    let longest =
        |sum: f64, last: f64| f64::max(side * side * sizes[0] / (sum * sum), sum * sum / (side * side * last));
    let mut count = 1;
    while let Some(&next) = sizes.get(count) {
        if longest(sum + next, next) > longest(sum, sizes[count - 1]) {
            break;
        }
        sum += next;
        count += 1;
    }
    (count, sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the paper, a rectangle of 6 by 4; nothing, and one thing.
    #[test]
    fn areas_are_as_published() {
        let t = 5.0 / 3.0;
        let paper = [
            (0.0, 0.0, 3.0, 2.0),
            (0.0, 2.0, 3.0, 2.0),
            (3.0, 0.0, 12.0 / 7.0, 7.0 / 3.0),
            (3.0 + 12.0 / 7.0, 0.0, 9.0 / 7.0, 7.0 / 3.0),
            (3.0, 4.0 - t, 1.2, t),
            (4.2, 4.0 - t, 1.2, t),
            (5.4, 4.0 - t, 0.6, t),
        ];
        let check = |sizes: &[u64], (width, height): (f64, f64), expected: &[(f64, f64, f64, f64)]| {
            let areas = squarify(sizes, Area { x: 0.0, y: 0.0, width, height });
            assert_eq!(areas.len(), expected.len());
            for (area, (x, y, width, height)) in areas.iter().zip(expected) {
                let close = |a: f64, b: f64| (a - b).abs() < 1e-9;
                let same = close(area.x, *x) && close(area.y, *y);
                assert!(same && close(area.width, *width) && close(area.height, *height), "{sizes:?}: {area:?}");
            }
        };
        check(&[6, 6, 4, 3, 2, 2, 1], (6.0, 4.0), &paper);
        check(&[], (6.0, 4.0), &[]);
        check(&[9], (6.0, 4.0), &[(0.0, 0.0, 6.0, 4.0)]);
    }

    #[test]
    fn labels_are_cut_to_what_fits() {
        for (text, columns, expected) in [
            ("core::fmt::write", 16, Some("core::fmt::write")),
            ("core::fmt::write", 15, Some("write")),
            ("core::fmt::write", 4, Some("wri…")),
            ("core::fmt::write", 3, None),
            ("a::drop<b::C>", 9, Some("drop<b::…")),
        ] {
            assert_eq!(fit(text, columns).as_deref(), expected, "{text} in {columns}");
        }
    }
}
