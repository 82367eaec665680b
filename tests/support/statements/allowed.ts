/** Purposes for which statements may span accounts, as named by `acrossAccounts`, and why. */
export const allowed: { readonly [purpose: string]: string } = {
  'waiting clicks': 'Metrics cover all accounts of the installation. Read-only, a few times a minute.',
  'profiles with due work': 'The metrics, as above.',
  'jobs by state': 'The metrics, as above.',
  'due work':
    'The scan for due work without a notification. Read-only, once per interval and with a row limit; the work found is then claimed account by account.',
  'several accounts at once':
    'On a single server one statement claims work of several accounts. On a cluster each statement names one account and is checked.',
  'claims of stopped workers':
    'The accounts of the work that a stopped or killed process had claimed are unknown. Read-only; the work is released account by account.',
  'work delayed by a clock change':
    'Runs after the clock was set back. Read-only; the work is rescheduled account by account.',
  'operator commands for jobs': 'Operator commands identify a job by its id, without its account.',
}
