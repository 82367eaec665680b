import { memo, useMemo } from 'react'
import { Button } from '../../../../ui/inputs/button.tsx'
import { Field } from '../../../../ui/inputs/field.tsx'
import { words } from '../../../../words/words.ts'
import type { Card, Change } from '../composition.ts'
import { firstAddress, useLinkPreview } from './links.ts'

interface LinkCardFieldsProps {
  text: string
  card: Card | null
  change: Change
}

/** What networks show of a page: what it says of itself, or words of one's own. */
export const LinkCardFields = memo(({ text, card, change }: LinkCardFieldsProps) => {
  const url = useMemo(() => firstAddress(text), [text])
  const page = useLinkPreview(card?.url ?? url)
  if (card)
    return (
      <section className="link-card" aria-label={words.composer.card}>
        <Field
          label={words.composer.cardTitle}
          value={card.title}
          onChange={(title) => change({ card: { ...card, title } })}
        />
        <Field
          label={words.composer.cardDescription}
          value={card.description}
          onChange={(description) => change({ card: { ...card, description } })}
        />
        <Field
          label={words.composer.cardImage}
          type="url"
          value={card.imageUrl}
          onChange={(imageUrl) => change({ card: { ...card, imageUrl } })}
          hint={words.composer.cardHint}
        />
        <Button kind="bare" onClick={() => change({ card: null })}>
          {words.composer.cardOff}
        </Button>
      </section>
    )
  if (!url) return null
  return (
    <p className="link-card-offer">
      <span className="quiet" dir="auto">
        {page ? page.Problem || words.composer.page(page.Title || page.Url) : words.composer.lookingAtPage}
      </span>
      {page && (
        <button
          type="button"
          className="plain-link"
          onClick={() =>
            change({
              card: { url: page.Url || url, title: page.Title, description: page.Description, imageUrl: page.ImageUrl },
            })
          }
        >
          {words.composer.cardOn}
        </button>
      )}
    </p>
  )
})
