def on_default_device(make):
    """`make`, whose values are drawn on the CPU, with its tensors on the default device."""

    def moved(*arguments):
        with torch.device("cpu"):
            values = make(*arguments)
        return values.to(torch.get_default_device())

    return moved


data = on_default_device(data)
