"""How do rules score and classify images, figures and diagrams? A baseline, no judgement."""
