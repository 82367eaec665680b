/** Purposes for which statements may span accounts, as named by `acrossAccounts`, and why. */
export const allowed: { readonly [purpose: string]: string } = {
  'waiting clicks':
    'The metrics of the installation tell of all accounts together; a few times a minute, reading alone.',
  'profiles with something due': 'The metrics, as above.',
  'jobs by their state': 'The metrics, as above.',
  'work that is due':
    'The scan for due work that no notification announced: once per interval, with a limit of rows, reading only. Whatever it finds is then taken account by account.',
  'several accounts at once':
    'Work of several accounts is claimed in one statement where all of them lie together. On a cluster a statement is told of one account, names it, and is judged.',
  'what a worker held':
    'When a process ends or has died nobody knows whose work it had; reading alone, and freed account by account.',
  'what was put off by a clock that was ahead':
    'After the clock was set back; reading alone, and moved account by account.',
  'jobs the operator asks for': 'Commands by hand: a job is named by its id, without its account.',
}
