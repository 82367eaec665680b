import { describe, expect, test } from 'vitest'
import { inContractOrder } from '#areas/webhooks/webhook.api.ts'
import { registry } from '#main/registry.ts'

const eventTypes = inContractOrder(registry.events)

const currentNames = {
  Advocacy: ['newAdvocacyMessage', 'newAdvocacyStory', 'newAdvocacyTopic'],
  Publishing: ['postCreated', 'postModified', 'postDeleted', 'postSent'],
  Engagement: [
    'newInboxItem',
    'newCommentOnInboxItem',
    'newDirectMessageOnInboxItem',
    'inboxItemReplied',
    'newNoteOnInboxItem',
    'newInboxItemAssignment',
    'inboxItemStatusChange',
    'inboxItemTagChange',
  ],
  Leads: ['newLead', 'newLeadActivity', 'newConversion'],
  Workflow: ['newApprovalItem', 'approvalItemApproved', 'approvalItemRejected'],
  Other: ['newCampaign'],
}

const legacyNames = [
  'newConversation',
  'conversationUpdated',
  'newNoteOnConversation',
  'newAssignment',
  'conversationStatusUpdated',
  'newEngagementItem',
  'updatedEngagementItem',
]

/** Id prefix by path in a sample; ids at other paths belong to inbox items. */
const idPrefixes: Record<string, string> = {
  'newAdvocacyMessage.Message.Id': '005',
  'newAdvocacyMessage.Board.Id': 'brd',
  'newAdvocacyStory.ID': '0AS',
  'newAdvocacyStory.Messages.Id': '005',
  'newAdvocacyTopic.Id': 'tpc',
  'postCreated.Id': '004',
  'postModified.Id': '004',
  'postDeleted.Id': '004',
  'postSent.Id': '004',
  'postSent.Postlogs.Id': '007',
  'newNoteOnInboxItem.Note.Id': 'eat',
  'newNoteOnConversation.Note.Id': 'eat',
  'newInboxItemAssignment.Assignee.Id': '00A',
  'newAssignment.Assignee.Id': '00A',
  'inboxItemTagChange.Tags.Added.Id': 'etg',
  'inboxItemTagChange.Tags.Removed.Id': 'etg',
  'inboxItemTagChange.Tags.Current.Id': 'etg',
  'newLead.Id': '0ld',
  'newLeadActivity.Id': '0la',
  'newConversion.Id': '009',
  'newCampaign.Id': '002',
}

describe('the catalogue', () => {
  test('has every type of the contract once, in order and group, followed by legacy types', () => {
    expect(eventTypes.map((type) => `${type.legacy ? 'legacy' : type.group} ${type.name}`)).toEqual([
      ...Object.entries(currentNames).flatMap(([group, names]) => names.map((name) => `${group} ${name}`)),
      ...legacyNames.map((name) => `legacy ${name}`),
    ])
    expect(Object.values(currentNames).flat()).toHaveLength(22)
  })
})

describe.each(eventTypes)('the sample of $name', ({ name, description, sample }) => {
  test('is valid JSON and has a description', () => {
    expect(JSON.parse(JSON.stringify(sample))).toStrictEqual(sample)
    expect(description).toMatch(/^[A-Z].+\.$/)
  })

  test('has datetimes in the API’s format', () => {
    for (const [, value] of values(sample)) {
      if (/^\d{4}-\d{2}-\d{2}/.test(String(value))) expect(value).toMatch(/^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/)
    }
  })

  test('has ids with the prefix of their kind', () => {
    for (const [path, value] of values(sample, name)) {
      if (!/\.I[dD]$/.test(path)) continue
      // Profile ids contain the network's own id, in any format.
      if (/Profiles?\.Id$/.test(path)) continue
      const prefix = idPrefixes[path] ?? 'eitm'
      expect(value, path).toMatch(new RegExp(`^${prefix}[0-9A-Za-z]{12}$`))
    }
  })
})

/** Every scalar value of a sample with its path. */
function values(sample: unknown, path = ''): [path: string, value: unknown][] {
  if (Array.isArray(sample)) return sample.flatMap((element) => values(element, path))
  if (typeof sample !== 'object' || sample === null) return [[path, sample]]
  return Object.entries(sample).flatMap(([key, value]) => values(value, `${path}.${key}`))
}
