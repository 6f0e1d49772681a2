"""Calibrates on simulated machines of known numbers, and finds these in what it says and in the file that it writes.

usage: calibration_test.py TOOL NETWORK FOLDER
"""
import pathlib
import re
import subprocess
import sys

tool, network, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
TRUE = {"L": 3000, "o_send": 500, "o_receive": 800, "g": 2000, "G": 1.75}
NUMBERS = {"injection.per_message": 2000, "link.hop": 1000, "link.bandwidth": 1000, "costs.port_send": 500,
           "costs.port_receive": 800, "costs.port_receive_more": 250, "costs.port_send per_byte": 0.25, "costs.port_receive per_byte": 0.5}
wrong = []


def calibrate(machine, conduit, out):
    run = subprocess.run([tool, "sim", "--calibrate", f"simulated:{machine}", "--conduit", conduit, "--out", out, "--rounds", "4"],
                         capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{machine} over {conduit} ended with {run.returncode}: {run.stderr}")
    return run.stdout


def numbers_of(path):
    found, table = {}, ""
    for line in path.read_text().splitlines():
        if head := re.match(r"\[(\w+)\]", line):
            table = head[1]
        elif number := re.match(r"(\w+) = \{ value = ([\d.]+)(?:.*?per_byte = ([\d.]+))?", line):
            found[f"{table}.{number[1]}"] = float(number[2])
            if number[3]:
                found[f"{table}.{number[1]} per_byte"] = float(number[3])
    return found


def compare(what, found, true, most=0.05):
    for name, value in true.items():
        if name not in found:
            wrong.append(f"{what} has no {name}")
        elif abs(found[name] - value) > most * value:
            wrong.append(f"{what}: {name} is {found[name]}, not {value}")


# Plain messages: all letters of LogGP.
out = folder / "known_again.toml"
said = calibrate(network, "wire", out)
letters = dict(re.findall(r"(\w+) (-?[\d.]+) ns", said.splitlines()[0]))
compare("what it says", {name: float(value) for name, value in letters.items()}, TRUE)
compare("the file", numbers_of(out), NUMBERS)
if "inline_bytes" not in out.read_text() or "port_crossed" in out.read_text():
    wrong.append("the file has what this machine has not, or lacks what it has")

# Messages that share datagrams: the file that was written is a machine whose numbers are known. The same must come out.
first, second = folder / "datagrams.toml", folder / "datagrams_again.toml"
text = network.read_text().replace("value = 2000, unit", "value = 0, unit")
text += 'am_send = { value = 60, unit = "ns", given = "test network" }\nam_receive = { value = 70, unit = "ns", given = "test network" }\n'
text += 'port_sent = { value = 300, unit = "ns", given = "test network" }\n'
first.write_text(text.replace("value = 500,", "value = 2000,"))
calibrate(first, "udp", second)
numbers = numbers_of(second)
sends = numbers["costs.port_send"] + numbers.get("costs.port_sent", 0)
compare("over datagrams", {"o_send": sends, **numbers},
        {"o_send": 2300, "costs.port_receive": 800, "costs.am_send": 60})
compare("over datagrams", numbers, {"costs.am_receive": 70}, 0.1)  # from a slope of steps, since replies share datagrams

print("\n".join(wrong) if wrong else "the numbers are found")
sys.exit(1 if wrong else 0)
