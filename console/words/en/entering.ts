export const entering = {
  signIn: 'Sign in',
  email: 'Email address',
  password: 'Password',
  stays: 'Stay signed in on this device',
  forgot: 'Forgot your password?',
  account: 'Account',
  severalAccounts: 'You belong to several accounts. Choose one.',
  demo: 'Look around in the demo',
  demoWhy: 'A workspace with made-up people, posts and networks. Nothing of it leaves this machine.',
  enterAs: 'Enter as',
  roles: { admin: 'Admin', publisher: 'Publisher', contributor: 'Contributor', read: 'Reader' },
  rolesMay: {
    admin: 'may do everything',
    publisher: 'plans and approves',
    contributor: 'writes, others approve',
    read: 'only looks',
  },
  back: 'Back to signing in',
  reset: 'Choose a new password',
  resetWhy: 'We send a link to your address that lets you choose a new password within an hour.',
  sendLink: 'Send the link',
  mailed: 'Look into your mail',
  mailedWhy: 'If somebody here has that address, a link is on its way to it. It works once, within an hour.',
  newPassword: 'New password',
  passwordHint: 'At least 8 characters.',
  revokeKeys: 'Also revoke my API keys',
  revokeKeysHint: (names: readonly string[]) =>
    names.length > 0
      ? `Programs that use them stop working: ${names.join(', ')}.`
      : 'Programs that use them stop working.',
  resetEnds: (hasCalendarLink: boolean) =>
    hasCalendarLink
      ? "You'll be signed out everywhere else, and your calendar link will be revoked."
      : "You'll be signed out everywhere else.",
  saveAndSignIn: 'Save and sign in',
  welcome: 'Welcome to Chorus',
  welcomeWhy: 'Tell us who you are and choose a password, and you are in.',
  firstName: 'First name',
  lastName: 'Last name',
  begin: 'Begin',
}
