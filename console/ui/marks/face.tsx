/** Somebody, or a profile: their picture, else their letters. The name stands beside it. */
export const Face = ({ name, picture }: { name: string; picture?: string | undefined }) =>
  picture ? (
    <img className="face" src={picture} alt="" loading="lazy" />
  ) : (
    <span className="face" aria-hidden="true">
      {lettersOf(name)}
    </span>
  )

const lettersOf = (name: string) =>
  name
    .split(/\s+/)
    .filter(Boolean)
    .slice(0, 2)
    .map((part) => [...part][0]?.toUpperCase())
    .join('')
