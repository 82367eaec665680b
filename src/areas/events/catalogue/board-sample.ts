import { sampleIds } from './sample-ids.ts'

export const boardSample = {
  Id: sampleIds.board,
  Name: 'Team voices',
  Status: 'active',
  Created: '2025-11-10 08:00:00',
  UsersCount: 24,
  Config: {
    Color: '#2F6F4E',
    DefaultExpiration: 'in_6_months',
    IconId: sampleIds.icon,
    IsAllowSuggestionsEnabled: true,
    IsLeaderboardEnabled: true,
    LogoId: sampleIds.logo,
    LogoPosition: 'center',
    NotificationsDay: null,
    NotificationsEnabled: true,
    NotificationsTimeUTC: '10',
    PostAddress: 'team-voices@example.com',
    SignUpDomains: false,
    SignUpEnabled: false,
    Slug: 'team-voices',
    Terms: 'Share what you would say to a colleague.',
  },
}
