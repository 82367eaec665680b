import { emit } from '#areas/events/event.ts'
import type { Context } from '#kernel/context.ts'
import { wireForm } from '#kernel/wire/fields.ts'
import { Campaign } from './campaign-shape.ts'

const toWire = wireForm(Campaign)

export const announceCampaign = (context: Context, campaign: Parameters<typeof toWire>[0]) =>
  emit(context, 'newCampaign', toWire(campaign))
