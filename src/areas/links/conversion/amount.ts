/** What a conversion may be worth: up to ten digits and two behind the point. */
export const isAmount = (text: string): boolean => /^\d{1,10}(\.\d{1,2})?$/.test(text)
