#!/usr/bin/env python3
"""A browser shows the page of `hilo report`: every picture has its place and is drawn, nothing comes from elsewhere.

report_browser_test.py HILO, with Debian's chromium; exits with 77 where that or gnuplot is not installed.
"""
import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

if not shutil.which("chromium") or not shutil.which("gnuplot"):
    print("chromium or gnuplot is not installed: skipped")
    sys.exit(77)

PARTS = ["dd", "d"]
# Added to a copy of the page: what a reader sees of it, as JSON. Of a picture that is drawn, a hundredth of the points
# or more is neither white nor clear.
LOOK = """<script>
const errors = [];
addEventListener("error", e => errors.push(e.message || "cannot load " + e.target.src), true);
addEventListener("load", async () => {
  const pictures = [];
  for (const img of document.images) {
    const place = img.getBoundingClientRect(), canvas = document.createElement("canvas");
    canvas.width = 200, canvas.height = 200;
    const context = canvas.getContext("2d");
    try {
      await img.decode();
      context.drawImage(img, 0, 0, 200, 200);
    } catch (e) { errors.push(String(e)); }
    const points = context.getImageData(0, 0, 200, 200).data;
    let drawn = 0;
    for (let i = 0; i < points.length; i += 4) {
      drawn += points[i + 3] > 0 && Math.min(points[i], points[i + 1], points[i + 2]) < 230;
    }
    pictures.push({width: place.width, height: place.height, drawn});
  }
  const loaded = performance.getEntriesByType("resource").map(e => e.name).filter(name => !name.startsWith("data:"));
  const seen = document.createElement("pre");
  seen.id = "seen";
  const headings = document.querySelectorAll("section h2").length;
  seen.textContent = JSON.stringify({pictures, loaded, errors, headings});
  document.body.append(seen);
});
</script>
</head>"""


def look(page, folder):
    """What a browser without a network makes of a page, and what is wrong with it."""
    copy = folder / "copy.html"
    copy.write_text(page.replace("</head>", LOOK, 1))
    run = subprocess.run(
        ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--enable-logging=stderr",
         "--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=10000", f"--user-data-dir={folder}/profile",
         "--dump-dom", copy.as_uri()], capture_output=True, text=True, timeout=60)
    found = re.search(r'<pre id="seen">(.*?)</pre>', run.stdout, re.S)
    if not found:
        sys.exit(f"the browser shows nothing: {run.stdout[:500]}\n{run.stderr[-2000:]}")
    seen = json.loads(html.unescape(found[1]))
    wrong = [line for line in run.stderr.splitlines() if "CONSOLE" in line] + seen["errors"]
    wrong += [f"loads {name}" for name in seen["loaded"]]
    if seen["headings"] != len(PARTS) or len(seen["pictures"]) != len(PARTS):
        wrong.append(f"{seen['headings']} parts with {len(seen['pictures'])} pictures, not {len(PARTS)}")
    for i, picture in enumerate(seen["pictures"]):
        if picture["width"] < 300 or picture["height"] < 100 or picture["drawn"] < 400:
            wrong.append(f"picture {i + 1} is not drawn: {picture}")
    return wrong


with tempfile.TemporaryDirectory(prefix="hilo-test-") as name:
    folder = pathlib.Path(name)
    subprocess.run([pathlib.Path(sys.argv[1]).resolve(), "report", "page.html", "--parts", ",".join(PARTS), "--sizes",
                    "16,32", "--backend", "cpu", "--threads", "1"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    page = (folder / "page.html").read_text()
    failures = [f"the page: {line}" for line in look(page, folder)]
    # What it must see: a picture that is missing, one that is damaged, one without a mark, one from elsewhere.
    picture = re.search(r'src="(data:image/svg\+xml;base64,[^"]+)"', page)[1]
    blank = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='600' height='400'/%3E"
    planted = {
        "a missing picture": re.sub("<figure>.*?</figure>", "", page, count=1, flags=re.S),
        "a damaged picture": page.replace(picture, picture[:200], 1),
        "a blank picture": page.replace(picture, blank, 1),
        "a picture from elsewhere": page.replace(picture, "https://example.org/picture.svg", 1),
    }
    failures += [f"{what} is not seen" for what, text in planted.items() if text == page or not look(text, folder)]
print("\n".join(failures) or f"{len(PARTS)} pictures are drawn, and {len(planted)} planted faults seen")
sys.exit(1 if failures else 0)
