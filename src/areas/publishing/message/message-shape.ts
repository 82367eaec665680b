import { Media } from '#areas/media/asset/asset-shape.ts'
import { choice, datetime, flag, integer, listOf, optional, shape, text } from '#kernel/wire/fields.ts'
import { connectedNetworks } from '#networks/network.ts'

const fields = {
  Id: text,
  Created: datetime,
  Modified: datetime,
  Status: text,
  AccountId: text,
  CreatedBy: text,
  ModifiedBy: text,
  CampaignId: text,
  Network: choice(connectedNetworks),
  Subject: text,
  Message: text,
  Md5: text,
  ImageUrl: text,
  Description: text,
  LinkTitle: text,
  LinkUrl: text,
  Url: text,
  Clicks: integer,
  ChildClicks: integer,
  BoardClicks: integer,
  Converts: integer,
  ChildConverts: integer,
  BoardConverts: integer,
  ChildrenCount: integer,
  Picture: flag,
  IsBoardMessage: flag,
  Tags: optional(listOf(text)),
}

export const ListedMessage = shape('ListedMessage', fields)
export const Message = shape('Message', { ...fields, Media: listOf(Media) })
