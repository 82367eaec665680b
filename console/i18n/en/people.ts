import { formatList, plural } from '@/i18n/format.ts'

const some = (count: number, one: string, other: string) => (count > 0 ? [plural(count, { one, other })] : [])

export const people = {
  title: 'People',
  views: { users: 'Users', invitations: 'Invitations', teams: 'Teams' },
  main: { invite: 'Invite somebody', team: 'New team' },
  oneUser: '# user',
  users: '# users',
  find: 'Find by name',
  name: 'Name',
  firstName: 'First name',
  lastName: 'Last name',
  email: 'E-mail address',
  role: 'Role',
  team: 'Team',
  teams: 'Teams',
  lastSeen: 'Last seen',
  library: 'Library',
  manages: 'Manages folders',
  uses: 'Looks only',
  zone: 'Time zone',
  since: 'Here since',
  invited: 'Invited',
  status: 'Status',
  disabled: 'Switched off',
  you: 'you',
  now: 'Now',
  never: 'Never',
  invitedNotCome: 'Has not come yet',
  none: 'Nobody is here yet',
  nothingFits: 'Nobody fits these filters',
  noSuchUser: 'There is no such user, or not any more.',
  roleMay: {
    admin: 'May do everything, also manage people, profiles and the account.',
    publisher: 'Plans, publishes and approves.',
    contributor: 'Writes and plans; somebody else approves.',
    read: 'Reads what their teams may see, and changes nothing.',
  },
  change: 'Change',
  changing: (name: string) => `Change ${name}`,
  save: 'Save',
  changeRole: 'Change the role',
  roleOf: (name: string) => `The role of ${name}`,
  sameRole: (role: string) => `That is the role they have: ${role}.`,
  roleChanged: (name: string, role: string) => `${name} is ${role} now.`,
  adds: 'May then also',
  takes: 'May then no longer',
  takesLibrary: 'manage the folders of the library',
  countsAtOnce: (sessions: number, keys: number) => {
    const both = [...some(sessions, '# sign-in', '# sign-ins'), ...some(keys, '# API key', '# API keys')]
    return both.length > 0 ? `It counts at once, for ${formatList(both)} that they have now too.` : 'It counts at once.'
  },
  lastAdmin: 'This is the last admin of the account. Make somebody else admin first.',
  adminsSeeAll: 'Admins see everything, in whichever teams they are.',
  teamsWhy: 'They see what is open to all, and what their teams see.',
  addToTeam: 'Add to a team…',
  noTeam: 'In none',
  managesLibrary: 'Manages the folders of the library',
  managesLibraryWhy: 'Make, rename and delete folders. Files can be used without it.',
  delete: 'Delete',
  deleting: (name: string) => `Delete ${name}?`,
  deleted: (name: string) => `${name} was deleted.`,
  endsSessions: (sessions: number, keys: number) => {
    const both = [...some(sessions, '# sign-in', '# sign-ins'), ...some(keys, '# API key', '# API keys')]
    if (both.length === 0) return 'They cannot sign in any more.'
    return `${formatList(both)} ${sessions + keys === 1 ? 'ends' : 'end'} at once.`
  },
  endsDrafts: (count: number) =>
    plural(count, { one: '# draft that only they see is gone.', other: '# drafts that only they see are gone.' }),
  endsBoards: (count: number) => plural(count, { one: 'They leave # board.', other: 'They leave # boards.' }),
  leavesConversations: (count: number) =>
    plural(count, {
      one: '# open conversation is nobody’s then, and waits in the inbox.',
      other: '# open conversations are nobody’s then, and wait in the inbox.',
    }),
  leavesSteps: (count: number, alone: number) =>
    plural(count, { one: 'They decide at # step of a workflow', other: 'They decide at # steps of workflows' }) +
    (alone > 0
      ? `; items waiting at ${plural(alone, { one: '# of them', other: '# of them' })} move to the default workflow.`
      : '; the others there decide then.'),
  keepsPosts: (count: number) =>
    plural(count, {
      one: '# post that they planned stays and goes out, under their name.',
      other: '# posts that they planned stay and go out, under their name.',
    }),
  keepsAll: 'Whatever they made stays, under their name.',
  invite: 'Invite',
  inviteWhy: 'They get a link by mail, choose a password, and are in. The link works for 14 days.',
  invitedNow: (email: string) => `${email} is invited.`,
  noInvitations: 'Nobody is on their way',
  noInvitationsWhy: 'Who was invited and has not come yet stands here.',
  states: { 'on-its-way': 'Mail on its way', waiting: 'Has not come yet', 'ran-out': 'Link ran out' },
  invitedBy: (name: string, when: string) => (name ? `by ${name}, ${when}` : when),
  until: (day: string) => `until ${day}`,
  sendAgain: 'Send again',
  sentAgain: (email: string) => `Another link is on its way to ${email}; the one before counts no more.`,
  copyLink: 'Get a link',
  mailFirst: 'The mail with its link is on its way. Try again in a moment.',
  linkFor: (email: string) => `A link for ${email}`,
  linkWhy:
    'Hand it over yourself where mail does not arrive. It works once, for 14 days; the link that was mailed counts no more. It is shown this once.',
  link: 'Link',
  withdraw: 'Withdraw',
  withdrawWhy: (email: string) => `The link that ${email} has opens nothing any more.`,
  withdrawn: (email: string) => `The invitation of ${email} was withdrawn.`,
  teamsAbout:
    'What belongs to no team is open to all. What belongs to teams is seen by who is in one of them, and by admins.',
  members: 'People',
  seesAlone: 'Sees',
  nothingAlone: 'What is open to all',
  seesCounts: (campaigns: number, workflows: number, boards: number) =>
    formatList([
      ...some(campaigns, '# campaign', '# campaigns'),
      ...some(workflows, '# workflow', '# workflows'),
      ...some(boards, '# board', '# boards'),
    ]),
  noTeams: 'There are no teams: everybody sees everything',
  seesWhy: 'Only the teams of these, and admins, see them. Messages, posts and stories follow their campaign or board.',
  kinds: { user: 'People', campaign: 'Campaigns', workflow: 'Workflows', board: 'Boards' },
  noneOf: { user: 'Nobody', campaign: 'None', workflow: 'None', board: 'None' },
  addKind: { user: 'Add somebody', campaign: 'Add a campaign', workflow: 'Add a workflow', board: 'Add a board' },
  findKind: 'Find by name…',
  takeFromTeam: (name: string) => `Take ${name} from the team`,
  teamName: 'Name of the team',
  make: 'Make',
  deleteTeam: 'Delete the team',
  deletingTeam: (name: string) => `Delete the team ${name}?`,
  teamDeleted: (name: string) => `The team ${name} was deleted.`,
  membersStay: (count: number) =>
    count === 0
      ? 'Nobody is in it.'
      : plural(count, { one: '# person stays, without this team.', other: '# people stay, without this team.' }),
  thingsRestricted: (things: string) =>
    `${things} that no other team has are seen by admins alone then, until somebody decides.`,
  restricted: (count: number) =>
    plural(count, {
      one: '# thing is seen by admins alone since its last team was deleted.',
      other: '# things are seen by admins alone since their last team was deleted.',
    }),
  openToAll: 'Open to all',
}
