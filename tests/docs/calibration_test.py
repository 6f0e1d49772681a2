"""docs/ugni.md names each number of networks/aries-knl.toml that is calibrated, as TABLE.NAME, and what it is calibrated to; and no other as calibrated."""
import re
import sys

import markdown

section, calibrated = "", {}
for line in (markdown.ROOT / "networks/aries-knl.toml").read_text().splitlines():
    if re.match(r"\[[\w.]+\]", line):
        section = line.strip("[] ").split(".")[0]
    found = re.match(r'(\w+) = .*calibrated = "[^"]*?round trip of ([\d.]+) us', line)
    if found:
        calibrated[f"{section}.{found[1]}"] = float(found[2])
page = (markdown.ROOT / "docs/ugni.md").read_text()
paragraph = next((part for part in page.split("\n\n") if "calibrated" in part), "")
named = re.findall(r"`((?:costs|nic)\.\w+)`", paragraph)
wrong = [f"ugni.md does not name {name}" for name in calibrated if name not in named]
wrong += [f"ugni.md calls {name} calibrated, which it is not" for name in named if name not in calibrated]
wrong += [f"ugni.md does not say {us:g} us of {name}" for name, us in calibrated.items() if f"{us:g} us" not in paragraph.replace("\n", " ")]
if not calibrated:
    wrong.append("no number is calibrated: this test reads the file wrongly")
print("\n".join(wrong) if wrong else f"{len(calibrated)} numbers")
sys.exit(1 if wrong else 0)
