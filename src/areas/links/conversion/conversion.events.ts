import { emit } from '#areas/events/event.ts'
import type { Context } from '#kernel/context.ts'
import { wireForm } from '#kernel/wire/fields.ts'
import { withDetails } from '../click/click-details.ts'
import type { ClickRow } from '../click/click-row.ts'
import { Click } from '../click/click-shape.ts'

const toWire = wireForm(Click)

/** Tells webhooks of a click that has converted. */
export async function announceConversion(context: Context, click: ClickRow) {
  const [detailed] = await withDetails(context, [click])
  if (detailed) await emit(context, 'newConversion', toWire(detailed))
}
