import type { Tag } from '#kernel/http/openapi.ts'

/** The groups of operations in the interface descriptions, in the order in which they are shown. */
export const apiTags: readonly Tag[] = [
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
  { name: 'Audit log', description: 'Who changed what, and when.', of: ['audit', 'audit.csv'] },
  { name: 'Campaigns', description: 'Campaigns, which hold messages and posts.', of: ['campaign'] },
  { name: 'Messages', description: 'Reusable content for one network.', of: ['message'] },
  {
    name: 'Posts',
    description: 'Scheduled and published posts, and their delivery log.',
    of: ['post', 'posts', 'postlog', 'compose'],
  },
  { name: 'Calendar', description: 'Posts and custom events by date.', of: ['calendar', 'calendar-key'] },
  { name: 'Tags', description: 'Tags of campaigns, messages and stories.', of: ['tag'] },
  {
    name: 'Drafts and views',
    description: 'Unsent drafts and saved filters of the calling user.',
    of: ['draft', 'saved-view'],
  },
  {
    name: 'Approvals',
    description: 'Approval workflows, their steps, and content waiting for approval.',
    of: ['workflow', 'workflow-step', 'workflow-item', 'workflow-items', 'workflow-item-note'],
  },
  {
    name: 'Profiles',
    description: 'Connected social profiles, their health, queues and targeting presets.',
    of: [
      'credential',
      'credential-health',
      'targeting-preset',
      'network',
      'network-use',
      'network-setup',
      'connect-offer',
      'picture',
    ],
  },
  {
    name: 'Media',
    description: 'The media library: files, folders and uploads.',
    of: ['media', 'media-folder', 'upload', 'video-validate'],
  },
  {
    name: 'Links',
    description: 'Short links, clicks, conversion tags and custom domains.',
    of: ['link', 'link-settings', 'link-preview', 'click', 'conversion-tag', 'cname'],
  },
  {
    name: 'Boards',
    description: 'Advocacy boards, their topics, and sharing on them.',
    of: ['board', 'boards', 'board-topic', 'board-message', 'board-share', 'board-profile'],
  },
  { name: 'Stories', description: 'Content that advocates can share.', of: ['story'] },
  { name: 'Advocates', description: 'Members of boards, and their invitations.', of: ['advocate'] },
  {
    name: 'Inbox',
    description: 'Conversations, comments, replies, tags and canned responses.',
    of: ['conversation', 'conversations', 'conversation-tag', 'comments', 'inbox', 'reply', 'canned-response'],
  },
  {
    name: 'Leads',
    description: 'People who became known, and their activity.',
    of: ['lead', 'lead-activity', 'lead-link-replace'],
  },
  {
    name: 'Integrations',
    description: 'Connected CRM and marketing systems.',
    of: ['integration', 'integration-types', 'integration-action'],
  },
  {
    name: 'Analytics',
    description: 'Post statistics, followers, dashboards and reports.',
    of: ['analytics', 'followers', 'dashboard', 'widget', 'report'],
  },
  { name: 'Exports', description: 'Scheduled exports and their files.', of: ['bi-export', 'exports'] },
  { name: 'Streams', description: 'Live feeds of social content, organised in tabs.', of: ['stream', 'stream-tab'] },
  {
    name: 'Webhooks',
    description: 'Webhooks, event types, deliveries and their log.',
    of: ['webhook', 'webhook-log', 'webhook-payload'],
  },
  {
    name: 'Live updates',
    description: 'The home overview, the change feed and presence.',
    of: ['overview', 'feed', 'presence'],
  },
]
