"""A table of times as a picture: one bar for each contender, the quickest on top."""

import html

WIDTH, LABEL, ROW, BAR, MARGIN = 720, 250, 26, 16, 12
OURS, OTHERS = "#0b7285", "#adb5bd"


def svg(title, bars):
    """`bars` are names and seconds. Ours is whatever has our name."""
    scale = (WIDTH - LABEL - 90) / max(seconds for _, seconds in bars)
    height = MARGIN * 2 + ROW * (len(bars) + 1)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
        f' font-family="system-ui, sans-serif" font-size="13" role="img" aria-label="{html.escape(title)}">',
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="{MARGIN}" y="{MARGIN + 14}" font-weight="600">{html.escape(title)}</text>',
    ]
    for index, (name, seconds) in enumerate(bars):
        top = MARGIN + ROW * (index + 1)
        colour = OURS if name.startswith("cormorant") else OTHERS
        length = max(seconds * scale, 1)
        lines += [
            f'<text x="{LABEL - 8}" y="{top + 17}" text-anchor="end">{html.escape(name)}</text>',
            f'<rect x="{LABEL}" y="{top + 5}" width="{length:.1f}" height="{BAR}" rx="2" fill="{colour}"/>',
            f'<text x="{LABEL + length + 6:.1f}" y="{top + 17}">{seconds:.2f} s</text>',
        ]
    return "\n".join(lines + ["</svg>", ""])
