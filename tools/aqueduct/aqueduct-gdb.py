"""Commands of gdb for the ranks of `aqueduct sim ./program`: gdb -x aqueduct-gdb.py --args aqueduct sim ./program

  ranks             what each rank and each of its threads waits for
  rank N [THREAD]   shows the stack of a rank: bt, up, print show its functions and variables
  rank              goes back to where the simulation has stopped

Before the simulation goes on, gdb is back there by itself. A job that has failed stops while its ranks are still there."""
import gdb

REGISTERS = ['rip', 'rsp', 'rbp', 'rbx', 'r12', 'r13', 'r14', 'r15']
MOVES = ['continue', 'step', 'next', 'finish', 'stepi', 'nexti', 'until', 'advance', 'jump', 'call', 'signal', 'kill', 'detach']


class State:
    real = None     # registers of the stopped process, while those of a rank are shown
    symbols = None  # the rank whose copy has symbols
    files = []      # their addresses


def ask(function, argument=''):
    """Text that a function of the command returns."""
    with_types = f'((const char* (*)({"unsigned" if argument != "" else "void"})) {function})({argument})'
    try:
        return gdb.parse_and_eval(with_types).string(errors='replace')
    except gdb.error as error:
        raise gdb.GdbError(f'no simulation of a program runs here ({error})') from error


def threads():
    result = []
    for line in ask('aqueduct_debug_threads').splitlines():
        words = line.split(' ')
        count = 1 if words[3] == '0' else len(REGISTERS)
        result.append({'rank': int(words[0]), 'thread': int(words[1]), 'runs': words[2] == '1',
                       'registers': None if count == 1 else words[3:3 + count], 'why': ' '.join(words[3 + count:])})
    return result


def go_back():
    if State.real is None:
        return
    gdb.execute('select-frame 0')
    for name, value in zip(REGISTERS, State.real):
        gdb.execute(f'set var ${name} = {value}')
    State.real = None
    gdb.invalidate_cached_frames()


def show_symbols(rank):
    if State.symbols == rank:
        return
    for address in State.files:
        try:
            gdb.execute(f'remove-symbol-file -a {address}', to_string=True)
        except gdb.error:
            pass
    State.files = []
    for line in ask('aqueduct_debug_objects', str(rank)).splitlines():
        base, path = line.split(' ', 1)
        try:
            text = gdb.execute(f'add-symbol-file "{path}" -o {base}', to_string=True)
            State.files.append(base)
        except gdb.error as error:
            gdb.write(f'no symbols of {path}: {error}\n')
    State.symbols = rank


class Ranks(gdb.Command):
    """What each rank and each of its threads waits for."""

    def __init__(self):
        super().__init__('ranks', gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        go_back()
        all_threads = threads()
        if not all_threads:
            raise gdb.GdbError('no ranks have begun, or they are gone')
        for each in all_threads:
            of_thread = '' if each['thread'] == 1 else f', thread {each["thread"]}'
            gdb.write(f'{"*" if each["runs"] else " "} rank {each["rank"]}{of_thread} waits for {each["why"]}\n')


class Rank(gdb.Command):
    """rank N [THREAD]: shows the stack of a rank. Without N: goes back."""

    def __init__(self):
        super().__init__('rank', gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        words = gdb.string_to_argv(argument)
        if not all(word.isdigit() for word in words) or len(words) > 2:
            raise gdb.GdbError('rank N [THREAD], both of them numbers; `ranks` lists them')
        go_back()
        if not words:
            gdb.execute('frame 0')
            return
        rank, thread = int(words[0]), int(words[1]) if len(words) == 2 else 1
        found = [each for each in threads() if each['rank'] == rank and each['thread'] == thread]
        if not found:
            raise gdb.GdbError(f'there is no rank {rank} with a thread {thread}; `ranks` lists them')
        show_symbols(rank)
        if found[0]['registers'] is None and not found[0]['runs']:
            raise gdb.GdbError(f'rank {rank} has not begun')
        if found[0]['registers'] is not None:
            gdb.execute('select-frame 0')
            State.real = [int(gdb.parse_and_eval(f'(long long) ${name}')) for name in REGISTERS]
            for name, value in zip(REGISTERS, found[0]['registers']):
                gdb.execute(f'set var ${name} = {value}')
            gdb.invalidate_cached_frames()
        gdb.execute('backtrace')


class Back(gdb.Command):
    """Before the simulation goes on."""

    def __init__(self):
        super().__init__('aqueduct-back', gdb.COMMAND_STACK)

    def invoke(self, argument, from_tty):
        go_back()


def forget(event):
    State.real, State.symbols, State.files = None, None, []


Ranks()
Rank()
Back()
for move in MOVES:
    gdb.execute(f'define hook-{move}\naqueduct-back\nend')
gdb.events.exited.connect(forget)
gdb.execute('set breakpoint pending on')
gdb.execute('set confirm off')
# How a rank that computes for too long is found, and a job that has failed.
gdb.execute('handle SIGVTALRM nostop noprint pass', to_string=True)
gdb.execute('break aqueduct_debug_stop', to_string=True)
