// Returns a sentence of the page with its {names} filled in.

export const filled = (sentence, values) => sentence.replace(/{(\w+)}/g, (_, name) => values[name]);
