import { describe, expect, test } from 'vitest'
import { sampleOfEvent } from '#areas/webhooks/resend.ts'
import { registry } from '#main/registry.ts'

const post = [
  'Id',
  'Created',
  'Modified',
  'Status',
  'AccountId',
  'CreatedBy',
  'ModifiedBy',
  'Source',
  'ContentSource',
  'Queued',
  'CampaignId',
  'BoardId',
  'MessageId',
  'MessageChildId',
  'MessageStatus',
  'Network',
  'StartDateTime',
  'Groups',
  'GroupsCount',
  'TotalCount',
  'TargetGeo',
  'UpdateStatus',
  'Flag',
  'Clicks',
  'Converts',
  'Comments',
  'NewComments',
  'Likes',
  'Utm',
  'ApproveStatus',
  'Credentials',
  'ProfileIds',
  'Profiles',
]
const inboxItem = ['Id', 'Created', 'EventDate', 'Network', 'ItemType', 'Status', 'Url', 'Origin', 'Data']
const approval = [
  'WorkflowItemID',
  'WorkflowID',
  'StepID',
  'Status',
  'StoryID',
  'BoardID',
  'PostID',
  'MessageID',
  'Network',
  'Note',
  'UserID',
]

describe('samples of the contract', () => {
  test('a new topic is sent as an array', () => {
    expect(sampleOfEvent(registry.events, 'newAdvocacyTopic')).toBeInstanceOf(Array)
    expect(keys('newAdvocacyTopic', '0')).toEqual(['Id', 'Name', 'BoardId', 'Used', 'Subscribers', 'LastUsedDate'])
  })

  test('a sent post carries its profiles and where each of them published it', () => {
    expect(keys('postSent')).toEqual(expect.arrayContaining([...post, 'Postlogs']))
    expect(keys('postSent', 'Profiles', '0')).toEqual(['Id', 'Name', 'LongName', 'Type', 'Thumbnail', 'URL'])
    expect(keys('postSent', 'Postlogs', '0')).toEqual(['Id', 'PostURL', 'MessageId', 'ProfileId'])
  })

  test('a new inbox item carries the post, the comment and both profiles', () => {
    expect(keys('newInboxItem')).toEqual(inboxItem)
    expect(keys('newInboxItem', 'Data')).toEqual([
      'PostId',
      'PostURL',
      'Profile',
      'CommentProfile',
      'PostContent',
      'CommentContent',
      'CommentDate',
    ])
    for (const profile of ['Profile', 'CommentProfile']) {
      expect(keys('newInboxItem', 'Data', profile)).toEqual(['Id', 'Name', 'Picture', 'Type'])
    }
    for (const content of ['PostContent', 'CommentContent']) {
      expect(keys('newInboxItem', 'Data', content)).toEqual(['Text', 'Media'])
    }
  })

  test('a direct message carries its thread', () => {
    expect(keys('newDirectMessageOnInboxItem', 'Item', 'Data')).toEqual(['Profile', 'RemoteProfile', 'LatestMessage'])
    expect(keys('newDirectMessageOnInboxItem', 'Item', 'Data', 'LatestMessage')).toContain('Text')
  })

  test.each(['newConversation', 'conversationUpdated'] as const)('%s tells the language', (name) => {
    expect(sampleOfEvent(registry.events, name)).toHaveProperty('Language', 'en')
  })
})

describe('further samples', () => {
  test.each(['postCreated', 'postModified', 'postDeleted'] as const)(
    '%s carries the post with its profiles',
    (name) => {
      expect(keys(name)).toEqual(expect.arrayContaining(post))
      expect(keys(name)).not.toContain('Postlogs')
    },
  )

  test.each([
    ['newCommentOnInboxItem', 'Text'],
    ['newDirectMessageOnInboxItem', 'Text'],
    ['inboxItemReplied', 'Text'],
    ['newNoteOnInboxItem', 'Note'],
    ['newInboxItemAssignment', 'Assignee'],
    ['inboxItemStatusChange', 'Status'],
    ['inboxItemTagChange', 'Tags'],
  ] as const)('%s carries the item and its %s', (name, addition) => {
    expect(keys(name)).toEqual(['Item', addition])
    expect(keys(name, 'Item')).toEqual(inboxItem)
  })

  test('additions to an inbox item name what changed', () => {
    expect(keys('newNoteOnInboxItem', 'Note')).toEqual(['Id', 'Text', 'CreatedBy'])
    expect(keys('newInboxItemAssignment', 'Assignee')).toEqual(['Id', 'Email'])
    expect(keys('inboxItemStatusChange', 'Status')).toEqual(['From', 'To'])
    expect(keys('inboxItemTagChange', 'Tags')).toEqual(['Added', 'Removed', 'Current'])
  })

  test('approvals name the item, its place in the workflow and the content', () => {
    for (const name of ['newApprovalItem', 'approvalItemApproved', 'approvalItemRejected'] as const) {
      expect(keys(name)).toEqual(approval)
    }
  })

  test('a message on a board comes with the board, a conversion with its tag', () => {
    expect(keys('newAdvocacyMessage')).toEqual(['Message', 'Board'])
    expect(keys('newLeadActivity')).toContain('PostlogId')
    expect(keys('newConversion')).toEqual(expect.arrayContaining(['ConversionTagId', 'ConvertedDate']))
  })
})

function keys(name: string, ...path: string[]): string[] {
  const start: unknown = sampleOfEvent(registry.events, name)
  return Object.keys(path.reduce((value, key) => (value as Record<string, unknown>)[key], start) as object)
}
