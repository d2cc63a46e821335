"""chart.py <TABLE >CHART: draws bench's table as SVG: how long llavero takes beside other programs, each of which is 1."""

import sys
from html import escape

PEERS = ("git's", "docker's", "Python's")
WIDTH, LABELS, RIGHT = 800, 440, 60
ROW, BAR, TOP, BOTTOM = 30, 16, 46, 34
LONGEST = 1.25
# A bar that is cut has a gap in its last quarter, between two strokes that lean to the right.
GAP, LEAN, CUT_FROM_END = 6, 4, 28


def rows(table):
    for line in table:
        cells = [cell.strip().replace("`", "") for cell in line.strip().strip("|").split("|")]
        if len(cells) < 5 or not cells[1].startswith(PEERS):
            continue
        try:
            yield cells[0], cells[1], float(cells[4])
        except ValueError:
            continue


def bar(ratio, scale, top):
    if ratio <= LONGEST:
        yield f'<rect class="bar" x="{LABELS}" y="{top}" width="{ratio * scale:.1f}" height="{BAR}" rx="2"/>'
        return
    end = LABELS + LONGEST * scale
    left, right = end - CUT_FROM_END, end - CUT_FROM_END + GAP
    yield f'<path class="bar" d="M{LABELS} {top}H{left + LEAN / 2}l{-LEAN} {BAR}H{LABELS}z"/>'
    yield f'<path class="bar" d="M{right + LEAN / 2} {top}H{end}v{BAR}H{right - LEAN / 2}z"/>'
    for x in (left, right):
        yield f'<path class="cut" d="M{x + LEAN * 0.7:.1f} {top - 2}l{-LEAN * 1.4:.1f} {BAR + 4}"/>'


def chart(found):
    scale = (WIDTH - LABELS - RIGHT) / LONGEST
    height = TOP + ROW * len(found) + BOTTOM
    one = LABELS + scale
    end = TOP + ROW * len(found)
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">'
    yield "<title>How long llavero takes, beside other programs</title>"
    yield "<style>text{font:13px system-ui,sans-serif;fill:#1f2328}.small{font-size:11px;fill:#59636e}"
    yield ".bar{fill:#2f6f9f}.peer{stroke:#59636e;stroke-dasharray:3 3}"
    yield ".cut{stroke:#1f2328;fill:none}"
    yield "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.small{fill:#9198a1}.bar{fill:#6cb2e4}.peer{stroke:#9198a1}"
    yield ".cut{stroke:#e6edf3}}"
    yield "</style>"
    yield f'<text x="{one}" y="18" text-anchor="middle">the other program = 1</text>'
    yield f'<text class="small" x="{one}" y="34" text-anchor="middle">shorter is faster</text>'
    for number, (what, peer, ratio) in enumerate(found):
        middle = TOP + ROW * number + ROW / 2
        yield f'<text x="{LABELS - 10}" y="{middle - 1}" text-anchor="end">{escape(what)}</text>'
        yield f'<text class="small" x="{LABELS - 10}" y="{middle + 12}" text-anchor="end">{escape(peer)}</text>'
        yield from bar(ratio, scale, middle - BAR / 2)
        shown = f"{ratio:.2f}" if ratio >= 0.1 else f"{ratio:.3f}"
        # In a column of their own, which the line of the other programs doesn't cross.
        yield f'<text x="{WIDTH - 10}" y="{middle + 4}" text-anchor="end">{shown}</text>'
    yield f'<line class="peer" x1="{one}" y1="{TOP - 6}" x2="{one}" y2="{end}"/>'
    yield f'<text class="small" x="{LABELS}" y="{end + 20}">A bar with a gap is longer than {LONGEST}: it is cut.</text>'
    yield "</svg>"


found = list(rows(sys.stdin))
if not found:
    sys.exit("chart.py: the table has no row with another program")
print("\n".join(chart(found)))
