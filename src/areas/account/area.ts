import { day } from '#kernel/clock.ts'
import { defineArea } from '../area.ts'
import { endpoints as accounts, appEndpoints as accountsApp, notificationEndpoints } from './account.api.ts'
import { endpoints as apiKeys } from './api-key.api.ts'
import { endpoints as audit, auditRoute, auditTable } from './audit.api.ts'
import { deleteOldAuditEntries, deleteOldAuditEntriesJob } from './audit.ts'
import { accountChanges, accountIds, accountQuotas, scopeIds } from './declarations.ts'
import { endpoints as drafts } from './draft.api.ts'
import { forgetOldDraftsJob } from './draft.ts'
import { endpoints as savedViews } from './saved-view.api.ts'
import { endpoints as sessions } from './session/session.api.ts'
import { plainPages, sessionPages } from './session/session.page.ts'
import { invitationJob, resetLinksJob } from './session/session-mail.ts'
import { endpoints as teams, appEndpoints as teamsApp } from './team/team.api.ts'
import { endpoints as users, appEndpoints as usersApp } from './user/user.api.ts'

export const account = defineArea({
  name: 'account',
  dependsOn: ['events'],
  ids: { ...accountIds, ...scopeIds },
  quotas: accountQuotas,
  changes: accountChanges,
  tables: [
    'accounts',
    'apiKeys',
    'auditLog',
    'drafts',
    'notificationSettings',
    'restrictedEntities',
    'savedViews',
    'sessions',
    'signInLinks',
    'signInAttempts',
    'teamEntities',
    'teams',
    'userEmails',
    'users',
  ],
  locks: { accounts: 'sendingState', users: 'accounts', teams: 'users' },
  tags: [
    {
      name: 'Account',
      description: 'The calling user, their account and their email notifications.',
      of: ['me', 'account', 'notification'],
    },
    {
      name: 'Sessions',
      description: 'Signing in and out, passwords and open sessions.',
      of: ['session', 'sessions', 'password', 'password-reset'],
    },
    { name: 'Users', description: 'Users, their roles and invitations.', of: ['user', 'invitation'] },
    {
      name: 'Teams',
      description: 'Teams, and the users, campaigns, workflows and boards assigned to them.',
      of: ['team', 'team-entity', 'restricted-entity'],
    },
    { name: 'API keys', description: 'API keys of users.', of: ['api-key'] },
    { name: 'Audit log', description: 'The log of all changes.', of: ['audit', 'audit.csv'] },
    {
      name: 'Drafts and views',
      description: 'Unsent drafts and saved filters of the calling user.',
      of: ['draft', 'saved-view'],
    },
  ],
  endpoints: [...accounts, ...teams, ...users, ...notificationEndpoints],
  appEndpoints: [...sessions, ...accountsApp, ...teamsApp, ...usersApp, ...apiKeys, ...audit, ...drafts, ...savedViews],
  downloads: [{ description: auditTable, route: ({ installation }) => auditRoute(installation) }],
  pages: ({ installation, hasConsole }) => [
    ...sessionPages(installation),
    ...(hasConsole ? [] : plainPages(installation)),
  ],
  jobs: ({ auditDays, mailer }) => [
    deleteOldAuditEntriesJob(auditDays),
    forgetOldDraftsJob,
    resetLinksJob(mailer),
    invitationJob(mailer),
  ],
  recurringJobs: [
    { job: deleteOldAuditEntries, every: day },
    { job: forgetOldDraftsJob, every: day },
  ],
})
